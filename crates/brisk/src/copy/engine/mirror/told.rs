//! The paths of a [`Mirror`], and what is reported about it.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use brisk_sys::{output, slashed};

use super::Mirror;
use crate::FileType;
use crate::copy::engine::job::{Denied, Route};
use crate::copy::observer::Begun;
use crate::copy::settings::PathPair;

impl Mirror {
    /// The destination's path of an entry, or of the directory itself if the name is empty.
    pub fn path_of(&self, route: &Route<'_>, name: &CStr) -> Vec<u8> {
        self.path_by(route, name, |it| &it.name)
    }

    /// The same with the current names, some of which may be temporary.
    pub fn path_now(&self, route: &Route<'_>, name: &CStr) -> Vec<u8> {
        self.path_by(route, name, Mirror::own_name)
    }

    fn path_by(&self, route: &Route<'_>, name: &CStr, of: fn(&Mirror) -> &CStr) -> Vec<u8> {
        let mut names = vec![name.to_bytes()];
        let mut mirror = self;
        while let Some(above) = mirror.above.as_ref().filter(|above| above.above.is_some()) {
            names.push(of(mirror).to_bytes());
            mirror = above;
        }
        let is_own = of(mirror) == &*mirror.name;
        let mut path = match &mirror.above {
            Some(_) if is_own => route.destination.to_vec(),
            // The directory that holds the destination.
            _ => {
                names.push(of(mirror).to_bytes());
                output::prefix_of(slashed::without_slashes(route.destination)).to_vec()
            }
        };
        names.iter().rev().for_each(|name| slashed::push(&mut path, name));
        path
    }

    /// The paths of the source and of the destination.
    pub fn paths(&self, route: &Route<'_>) -> (Vec<u8>, Vec<u8>) {
        let destination = self.path_of(route, c"");
        let below = destination.get(route.destination.len()..).unwrap_or_default();
        let mut source = route.source.to_vec();
        slashed::push(&mut source, below.strip_prefix(b"/").unwrap_or(below));
        (source, destination)
    }

    /// The source's path with a slash at the end, and its depth.
    pub fn source_prefix(&self, route: &Route<'_>) -> (Vec<u8>, usize) {
        let (mut prefix, _) = self.paths(route);
        if !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        let above = std::iter::successors(self.above.as_deref(), |it| it.above.as_deref());
        (prefix, above.count() - 1)
    }

    /// Reports once that this directory, or one above it, could not be made for its entries. If all
    /// were made, returns the failure instead.
    pub fn fail(&self, route: &Route<'_>, refusal: Denied) -> Result<(), Denied> {
        let unmade = std::iter::successors(Some(self), |it| it.above.as_deref());
        let Some(outermost) = unmade.take_while(|it| !it.is_opened()).last() else {
            return Err(refusal);
        };
        if !outermost.has_failed.swap(true, Ordering::Relaxed) {
            let (source, destination) = outermost.paths(route);
            route.job.fail(PathPair { source: &source, destination: &destination }, refusal);
        }
        Ok(())
    }

    /// Tells the observer that the directory was made.
    pub fn tell(&self, route: &Route<'_>) {
        if !route.job.wants_begun {
            return;
        }
        let (source, destination) = self.paths(route);
        let paths = PathPair { source: &source, destination: &destination };
        route.job.observer.begun(&Begun { paths, file_type: FileType::Directory, backup: None });
    }
}
