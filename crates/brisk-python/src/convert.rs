//! Paths, names and errors on their way between Python and the engine.

use std::io;

use brisk_sys::errno;
use brisk_sys::paths::bytes_to_path;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The type in which names and paths are answered: that of the path which the caller gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathType {
    Str,
    Bytes,
}

impl PathType {
    /// A name or path. What is no UTF-8 becomes surrogates in a `str`, as `os.fsdecode` does it.
    #[inline]
    pub fn of<'py>(self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        // The engine's paths have slashes, on Windows too. No name on Windows has a slash.
        if cfg!(windows) && bytes.contains(&b'/') {
            let shown = |byte: &u8| if *byte == b'/' { b'\\' } else { *byte };
            return self.of(py, &bytes.iter().map(shown).collect::<Vec<_>>());
        }
        match self {
            // Python checks that the bytes are UTF-8 as it copies them.
            PathType::Str => match PyString::from_bytes(py, bytes) {
                Ok(text) => Ok(text.into_any()),
                Err(_) => with_surrogates(py, bytes),
            },
            PathType::Bytes => Ok(PyBytes::new(py, bytes).into_any()),
        }
    }
}

#[cold]
fn with_surrogates<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    Ok(bytes_to_path(bytes).as_os_str().into_pyobject(py)?.into_any())
}

/// A path that the caller gave: `str`, `bytes`, or an object with `__fspath__`.
#[derive(Clone, Debug)]
pub struct GivenPath {
    pub bytes: Vec<u8>,
    pub text: PathType,
}

impl FromPyObject<'_, '_> for GivenPath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<GivenPath> {
        let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        let object = match is_text {
            true => object.to_owned(),
            false => object.py().import("os")?.call_method1("fspath", (object,))?,
        };
        let (bytes, text) = match object.cast::<PyBytes>() {
            Ok(bytes) => (bytes.as_bytes().to_vec(), PathType::Bytes),
            Err(_) => (name_bytes(&object)?, PathType::Str),
        };
        if bytes.contains(&0) {
            return Err(PyValueError::new_err("embedded null byte"));
        }
        Ok(GivenPath { bytes, text })
    }
}

/// The bytes of a `str` or `bytes`, as `os.fsencode` does it.
pub fn name_bytes(name: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = name.cast::<PyString>()
        && let Ok(text) = text.to_str()
    {
        return Ok(text.as_bytes().to_vec());
    }
    match name.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        // With surrogates.
        Err(_) => Ok(name.extract::<std::ffi::OsString>()?.into_encoded_bytes()),
    }
}

/// Whether an object is true: the standard library takes any object as a flag.
pub fn truth(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.is_truthy()
}

/// The `OSError` of the right subclass, with errno, text and filename.
#[cold]
pub fn os_error(py: Python<'_>, error: &io::Error, path: &[u8], text: PathType) -> PyErr {
    os_error_of(py, errno(error), path, text)
}

/// Hands errors of a walk to `onerror`. Without it, the first that `raises` is raised, and the
/// others are passed over.
pub fn tell(
    py: Python<'_>,
    errors: &[brisk::Error],
    onerror: Option<&Py<PyAny>>,
    text: PathType,
    raises: impl Fn(&brisk::Error) -> bool,
) -> PyResult<()> {
    errors.iter().filter(|error| onerror.is_some() || raises(error)).try_for_each(|error| {
        let path = error.path().as_os_str().as_encoded_bytes();
        let raised = os_error_of(py, error.errno(), path, text);
        let Some(onerror) = onerror else { return Err(raised) };
        onerror.call1(py, (raised.into_value(py),)).map(drop)
    })
}

#[cold]
pub fn os_error_of(py: Python<'_>, code: i32, path: &[u8], text: PathType) -> PyErr {
    text.of(py, path).map_or_else(|error| error, |path| os_error_about(&path, code))
}

/// The `OSError` about a path or a descriptor.
#[cold]
pub fn os_error_about(what: &Bound<'_, PyAny>, code: i32) -> PyErr {
    let message = what.py().import("os").and_then(|os| os.call_method1("strerror", (code,)));
    match message {
        Ok(message) => PyOSError::new_err((code, message.unbind(), what.clone().unbind())),
        Err(error) => error,
    }
}
