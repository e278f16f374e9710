//! The command `bezout`.

mod allocator;
mod streams;

fn main() {
    bezout::background::ends_by_leave();
    let code = bezout_cli::main_with(std::env::args_os().collect());
    bezout::background::leave(code)
}
