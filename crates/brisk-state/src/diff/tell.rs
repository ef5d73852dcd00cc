//! [`Teller`]: the second walk. It enters the directories in which there are differences, and hands
//! the differences on, sorted by path.

use brisk::{Fields, Flow};

use super::answer::{Difference, Fault};
use super::compare::{Contents, Found, Terms};
use super::contents::{Pair, Verdicts};
use super::input::Input;
use super::pairs::Pairs;
use super::walk::{Enter, Inside, Met, NEW, OLD, Spot, Step, Visit, is_opaque};
use crate::bits::Bits;
use crate::change::{Change, Differs, Kind, Place};
use crate::record::{Flags, Record};

/// On which way a directory was entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The roots in which the walk is, on either side.
    roots: [usize; 2],
    state: Where,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// Both sides, at one path.
    Same,
    /// Both sides of a directory that was renamed. The walk comes here twice: at the old path, where
    /// it tells what is gone, and at the new one, where it tells the rest.
    Moved(usize),
    /// One side alone. Where it is covered, a line for a directory above stands for the entries.
    Alone { side: usize, covered: bool },
}

impl Way {
    /// Whether the walk tells here what is on this side alone.
    fn tells(self, side: usize) -> bool {
        match self.state {
            Where::Same => true,
            Where::Moved(told) => told == side,
            Where::Alone { side: alone, .. } => alone == side,
        }
    }

    fn with(self, state: Where) -> Way {
        Way { state, ..self }
    }
}

/// What the first walk has found.
pub(super) struct Route {
    /// Whether each entry has a line of its own.
    pub each: bool,
    /// The later directories with differences, by their numbers.
    pub marks: Bits,
    pub pairs: Pairs,
    /// The root that each root of a state is among those of the answer.
    pub roots: [Vec<usize>; 2],
}

/// What becomes of files whose contents have to be read.
pub(super) enum Reads<'a> {
    /// They are handed to workers.
    Asked(&'a mut dyn FnMut(Pair)),
    /// The workers have read them.
    Known(&'a Verdicts),
}

/// The second walk.
pub(super) struct Teller<'a> {
    route: &'a Route,
    terms: Terms,
    reads: Reads<'a>,
    visit: &'a mut dyn FnMut(&Difference) -> Flow,
    pub has_unknown: bool,
    /// How many files of each side have no digest that was asked for.
    pub without_digest: [u64; 2],
}

type Stepped = Result<Step<Way>, Fault>;

impl<'a> Teller<'a> {
    pub fn new(
        route: &'a Route,
        terms: Terms,
        reads: Reads<'a>,
        visit: &'a mut dyn FnMut(&Difference) -> Flow,
    ) -> Teller<'a> {
        Teller { route, terms, reads, visit, has_unknown: false, without_digest: [0; 2] }
    }

    fn tell(&mut self, told: &Difference) -> Result<(), Fault> {
        self.has_unknown |= told.change.kind == Kind::Unknown;
        let has_sizes = self.terms.known.contains(Fields::SIZE);
        let without = || Difference { old_size: 0, new_size: 0, ..told.clone() };
        match if has_sizes { (self.visit)(told) } else { (self.visit)(&without()) } {
            Flow::Continue => Ok(()),
            Flow::Stop => Err(Fault::Stopped),
        }
    }

    fn both(&mut self, inputs: &[Input; 2], way: Way, old: &Met<'_>, new: &Met<'_>) -> Stepped {
        let listed = [old, new].map(|met| is_listed(&met.record));
        let trusts = inputs[NEW].trusts_inodes(new.spot.dir);
        let found = self.terms.compare(trusts, &old.record, &new.record);
        let is_other = found.differs.fields.contains(Fields::TYPE);
        // Below a renamed directory, something else that has the same name is another entry.
        let has_other_inode = trusts && old.record.stamp.ino != new.record.stamp.ino;
        let is_another = (is_other || (self.terms.is_one_tree && has_other_inode))
            && self.route.each
            && matches!(way.state, Where::Moved(_));
        match listed {
            [true, true] if is_another => {
                for (side, met) in [(OLD, old), (NEW, new)] {
                    if way.tells(side) {
                        self.tell(&one(way, side, met, false))?;
                    }
                }
            }
            [true, true] if way.tells(NEW) => {
                let found = self.read(inputs, found, old, new);
                self.pair(way, &found, old, new)?;
            }
            [true, false] if way.tells(OLD) => self.tell(&one(way, OLD, old, false))?,
            [false, true] if way.tells(NEW) => self.tell(&one(way, NEW, new, false))?,
            _ => {}
        }
        let inside = [old.inside(), new.inside()];
        let enter = match inside {
            [Some(_), Some(_)] if is_opaque(inputs, old, new) => {
                let mut unknown = one(way, NEW, new, false);
                unknown.change.kind = Kind::Unknown;
                if way.tells(NEW) {
                    self.tell(&unknown)?;
                }
                None
            }
            [Some(_), Some(new)] => {
                let differs = way.state != Where::Same || self.route.marks.get(new.block as usize);
                differs.then(|| Enter::new(inside, way))
            }
            [None, None] => None,
            _ => {
                let side = if inside[OLD].is_some() { OLD } else { NEW };
                let state = Where::Alone { side, covered: false };
                (is_other && way.tells(side)).then(|| Enter::new(inside, way.with(state)))
            }
        };
        Ok(entered(inputs, enter))
    }

    /// Adds what is known of the contents of two files that have to be read.
    fn read(&mut self, inputs: &[Input; 2], found: Found, old: &Met<'_>, new: &Met<'_>) -> Found {
        if !self.terms.asks(&found, &new.record) {
            return found;
        }
        let met = [old, new];
        let has_source = [OLD, NEW].map(|side| inputs[side].has_source(&met[side].record));
        if has_source != [true, true] {
            for side in [OLD, NEW].into_iter().filter(|side| !has_source[*side]) {
                self.without_digest[side] += u64::from(self.terms.content);
            }
            return found;
        }
        let contents = match &mut self.reads {
            Reads::Known(verdicts) => match verdicts.differs(new.spot) {
                None => Contents::Same,
                Some(true) => Contents::Different,
                Some(false) => Contents::Unreadable,
            },
            Reads::Asked(hand) => {
                let source = |side: usize| inputs[side].source(&met[side].record, met[side].path);
                if let (Some(from), Some(to)) = (source(OLD), source(NEW)) {
                    let size = new.record.stamp.size;
                    hand(Pair { new: new.spot, sources: [from, to], size });
                }
                return found;
            }
        };
        self.terms.decide(found, contents, (&old.record, &new.record))
    }

    /// Two entries that are both results.
    fn pair(&mut self, way: Way, found: &Found, old: &Met<'_>, new: &Met<'_>) -> Result<(), Fault> {
        let is_moved = matches!(way.state, Where::Moved(_));
        let kind = match found.kind() {
            Some(kind @ (Kind::TypeChanged | Kind::Unknown)) => kind,
            _ if is_moved && self.route.each => Kind::Renamed,
            Some(kind) => kind,
            None => return Ok(()),
        };
        let mut told = one(way, NEW, new, false);
        if kind == Kind::Renamed {
            told.change.from = Some(Place { root: way.roots[OLD], path: old.path.to_vec() });
        }
        told.change.kind = kind;
        told.change.differs = found.differs;
        told.old_size = size(&old.record);
        self.tell(&told)
    }

    fn alone(&mut self, inputs: &mut [Input; 2], way: Way, side: usize, met: &Met<'_>) -> Stepped {
        if !way.tells(side) {
            return Ok(Step { differs: false, enter: None });
        }
        let other = match side {
            OLD => self.route.pairs.new_of(met.spot),
            _ => self.route.pairs.old_of(met.spot),
        };
        if let Some(other) = other {
            return self.renamed(inputs, way, side, met, other);
        }
        if inputs[1 - side].is_unknown(met.path) {
            let mut unknown = one(way, side, met, false);
            unknown.change.kind = Kind::Unknown;
            self.tell(&unknown)?;
            return Ok(Step { differs: true, enter: None });
        }
        let is_listed = is_listed(&met.record);
        let was_covered = matches!(way.state, Where::Alone { covered: true, .. });
        let is_whole = !self.route.each && met.record.is_dir();
        if is_listed && !was_covered {
            self.tell(&one(way, side, met, is_whole))?;
        }
        let covered = was_covered || (is_listed && is_whole);
        if met.inside().is_none() || (covered && self.route.pairs.is_empty()) {
            return Ok(Step { differs: true, enter: None });
        }
        let mut dirs = [None, None];
        dirs[side] = met.inside();
        let way = way.with(Where::Alone { side, covered });
        Ok(entered(inputs, Some(Enter::new(dirs, way))))
    }

    /// An entry that has another path on the other side, where `other` is its record.
    fn renamed(
        &mut self,
        inputs: &mut [Input; 2],
        way: Way,
        side: usize,
        met: &Met<'_>,
        other: Spot,
    ) -> Stepped {
        let across = 1 - side;
        let fault = |why| Fault::Input(across, why);
        let (root, path) = inputs[across].pieces.path(other.dir, other.at).map_err(fault)?;
        let page = inputs[across].pieces.record(other.dir, other.at).map_err(fault)?;
        let record = page.get(other.at as usize).ok_or(Fault::torn(across))?;
        let there = Met { spot: other, record, path: &path };
        let mut roots = way.roots;
        roots[across] = self.route.roots[across].get(root as usize).copied().unwrap_or(0);
        if side == NEW {
            self.tell_renamed(inputs, Way { roots, ..way }, &there, met)?;
        }
        let mut dirs = [met.inside(), met.inside()];
        dirs[across] = there.inside();
        let mut enter = Enter::new(dirs, Way { roots, state: Where::Moved(side) });
        enter.elsewhere[across] = Some(path.clone());
        Ok(entered(inputs, met.record.is_dir().then_some(enter)))
    }

    fn tell_renamed(
        &mut self,
        inputs: &[Input; 2],
        way: Way,
        old: &Met<'_>,
        new: &Met<'_>,
    ) -> Result<(), Fault> {
        let trusts = inputs[NEW].trusts_inodes(new.spot.dir);
        let found = self.terms.compare(trusts, &old.record, &new.record);
        let found = match self.route.pairs.is_same(new.spot) {
            true => self.terms.decide(found, Contents::Same, (&old.record, &new.record)),
            false => self.read(inputs, found, old, new),
        };
        self.has_unknown |= found.contents == Contents::Unreadable;
        let mut told = one(way, NEW, new, !self.route.each && new.record.is_dir());
        told.change.kind = Kind::Renamed;
        told.change.from = Some(Place { root: way.roots[OLD], path: old.path.to_vec() });
        told.change.differs = found.differs;
        // Renaming moves the ctime on many file systems.
        told.change.differs.fields -= Fields::CTIME;
        told.old_size = size(&old.record);
        self.tell(&told)
    }
}

impl Visit for Teller<'_> {
    type Way = Way;

    fn begin(&mut self, root: usize, terms: Terms) -> Way {
        self.terms = terms;
        Way { roots: [root; 2], state: Where::Same }
    }

    fn passes_same(&self, way: Way) -> bool {
        way.state == Where::Same && !self.terms.content
    }

    /// In a directory that was renamed, an entry may come from elsewhere or have gone elsewhere.
    fn splits(&self, way: Way, old: Spot, new: Spot) -> bool {
        let is_moved = matches!(way.state, Where::Moved(_));
        let partners = || (self.route.pairs.new_of(old), self.route.pairs.old_of(new));
        is_moved && !matches!(partners(), (None, None)) && partners().0 != Some(new)
    }

    fn meet(&mut self, inputs: &mut [Input; 2], way: Way, met: [Option<Met<'_>>; 2]) -> Stepped {
        match &met {
            [Some(old), Some(new)] => self.both(inputs, way, old, new),
            [Some(old), None] => self.alone(inputs, way, OLD, old),
            [None, Some(new)] => self.alone(inputs, way, NEW, new),
            [None, None] => Ok(Step { differs: false, enter: None }),
        }
    }

    fn leave(&mut self, _: [Option<u32>; 2], _: bool) {}
}

fn is_listed(record: &Record<'_>) -> bool {
    record.flags.has(Flags::LISTED)
}

fn size(record: &Record<'_>) -> u64 {
    if record.is_dir() { 0 } else { record.stamp.size }
}

/// An entry that one side alone has.
fn one(way: Way, side: usize, met: &Met<'_>, whole: bool) -> Difference {
    let size = size(&met.record);
    let change = Change {
        kind: if side == OLD { Kind::Deleted } else { Kind::Added },
        place: Place { root: way.roots[side], path: met.path.to_vec() },
        from: None,
        file_type: met.record.stamp.file_type(),
        differs: Differs::default(),
    };
    let (old_size, new_size) = if side == OLD { (size, 0) } else { (0, size) };
    Difference { change, whole, old_size, new_size }
}

/// Enters directories that have blocks. One that was not entered has none.
fn entered(inputs: &[Input; 2], enter: Option<Enter<Way>>) -> Step<Way> {
    let is_there = |(input, inside): (&Input, Option<Inside>)| {
        inside.is_none_or(|inside| input.pieces.dir(inside.block).is_some())
    };
    let enter = enter.filter(|enter| inputs.iter().zip(enter.dirs).all(is_there));
    Step { differs: true, enter }
}
