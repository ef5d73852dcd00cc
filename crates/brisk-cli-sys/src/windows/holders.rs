//! Who uses a file: the Restart Manager knows. Its library is loaded when it is asked, since loading
//! it at each start would cost every command.

use std::ffi::CStr;
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;

use windows_sys::Win32::Foundation::HMODULE;
use windows_sys::Win32::System::LibraryLoader::{
    GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW,
};
use windows_sys::Win32::System::RestartManager::{CCH_RM_SESSION_KEY, RM_PROCESS_INFO};

use crate::Holder;

type Start = unsafe extern "system" fn(*mut u32, u32, *mut u16) -> u32;
type Register = unsafe extern "system" fn(
    u32,
    u32,
    *const *const u16,
    u32,
    *const core::ffi::c_void,
    u32,
    *const *const u16,
) -> u32;
type GetList =
    unsafe extern "system" fn(u32, *mut u32, *mut u32, *mut RM_PROCESS_INFO, *mut u32) -> u32;
type EndSession = unsafe extern "system" fn(u32) -> u32;

/// The library's functions.
struct Manager {
    start: Start,
    register: Register,
    list: GetList,
    end: EndSession,
}

/// The most processes that are named.
const MAX: usize = 16;

impl Manager {
    fn load() -> Option<Manager> {
        let name: Vec<u16> = "rstrtmgr.dll\0".encode_utf16().collect();
        // SAFETY: the name ends in a zero; the second argument has to be null.
        let library = unsafe {
            LoadLibraryExW(name.as_ptr(), std::ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32)
        };
        // SAFETY: the function's signature, as its documentation has it.
        let start = unsafe { function(library, c"RmStartSession") }?;
        // SAFETY: as above.
        let register = unsafe { function(library, c"RmRegisterResources") }?;
        // SAFETY: as above.
        let list = unsafe { function(library, c"RmGetList") }?;
        // SAFETY: as above.
        let end = unsafe { function(library, c"RmEndSession") }?;
        Some(Manager { start, register, list, end })
    }

    /// The processes of a session for one file, whose path ends in a zero.
    fn users(&self, session: u32, path: &[u16]) -> Option<Vec<Holder>> {
        let paths = [path.as_ptr()];
        let none = std::ptr::null();
        // SAFETY: one path that ends in a zero; no processes and no services.
        let refused =
            unsafe { (self.register)(session, 1, paths.as_ptr(), 0, none, 0, none.cast()) };
        let mut infos = [RM_PROCESS_INFO::default(); MAX];
        let mut count = MAX as u32;
        let mut needed = 0;
        let mut reasons = 0;
        // SAFETY: a place for `count` descriptions, and one for each number.
        let failed = unsafe {
            let places = infos.as_mut_ptr();
            (self.list)(session, &raw mut needed, &raw mut count, places, &raw mut reasons)
        };
        // Wine 8 leaves `count` alone, and says only in `needed` that it knows no process.
        let count = count.min(needed) as usize;
        (refused == 0 && failed == 0).then(|| infos.iter().take(count).map(holder).collect())
    }
}

/// A function of a library.
///
/// # Safety
/// `F` is the type of a pointer to that function.
unsafe fn function<F: Copy>(library: HMODULE, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the library is loaded, and the name ends in a zero.
    let found = unsafe { GetProcAddress(library, name.as_ptr().cast()) }?;
    // SAFETY: the sizes are equal, and the caller knows the type.
    Some(unsafe { std::mem::transmute_copy(&found) })
}

/// The processes that have the file open. Directories are unknown to the Restart Manager.
#[must_use]
pub fn of(path: &Path) -> Vec<Holder> {
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let Some(manager) = Manager::load() else { return Vec::new() };
    let mut session = 0;
    let mut key = [0; CCH_RM_SESSION_KEY as usize + 1];
    // SAFETY: a place for the session's number, and one for its key as long as documented.
    if unsafe { (manager.start)(&raw mut session, 0, key.as_mut_ptr()) } != 0 {
        return Vec::new();
    }
    let found = manager.users(session, &path);
    // SAFETY: the session was started above, and ends here.
    unsafe { (manager.end)(session) };
    found.unwrap_or_default()
}

fn holder(info: &RM_PROCESS_INFO) -> Holder {
    let name = info.strAppName.split(|unit| *unit == 0).next().unwrap_or_default();
    Holder { process: info.Process.dwProcessId, name: String::from_utf16_lossy(name) }
}
