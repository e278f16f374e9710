//! stub
/// stub
pub struct Int;
