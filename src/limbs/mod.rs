//! stub

#[allow(dead_code, unused_imports)]
mod cpu;
