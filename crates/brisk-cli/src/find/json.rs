//! One JSON object a result.
