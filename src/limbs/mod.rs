//! stub

#[allow(dead_code)]
mod cpu;
