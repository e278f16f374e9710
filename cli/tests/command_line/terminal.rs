//! The calculator at a terminal, which `script` of util-linux pretends to be.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A session at a terminal, and what the terminal has shown.
struct Session {
    child: Child,
    shown: String,
    more: Receiver<Vec<u8>>,
}

impl Session {
    /// `None` on machines without `script`.
    fn new(cache: &std::path::Path) -> Option<Session> {
        // Without `exec` a shell that waits for the calculator takes the interrupt for its own.
        let command = format!("exec {} calc", env!("CARGO_BIN_EXE_bezout"));
        let mut child = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("BEZOUT_CACHE", cache)
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut output = child.stdout.take().unwrap();
        let (sender, more) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 1 << 12];
            while let Ok(count) = output.read(&mut bytes)
                && count > 0
                && sender.send(bytes[..count].to_vec()).is_ok()
            {}
        });
        let mut session = Session {
            child,
            shown: String::new(),
            more,
        };
        session.wait_for("> ");
        Some(session)
    }

    /// Waits until the terminal shows `text`, and forgets what it has shown until then.
    fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(at) = self.shown.find(text) {
                let rest = self.shown.split_off(at + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.more.recv_timeout(left) {
                Ok(bytes) => {
                    self.shown.push_str(&String::from_utf8_lossy(&bytes));
                    self.shown = without_escapes(&self.shown);
                }
                Err(_) => panic!("no {text:?} in {:?}", self.shown),
            }
        }
    }

    fn send(&mut self, keys: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Types a line and waits for its answer and the next prompt.
    fn ask(&mut self, line: &str, answer: &str) -> String {
        self.send(&format!("{line}\r"));
        let shown = self.wait_for(answer);
        self.wait_for("> ");
        shown
    }

    fn end(mut self, keys: &str) -> Option<i32> {
        self.send(keys);
        self.child.wait().unwrap().code()
    }
}

/// Text without the sequences that move the cursor and the like; an unfinished one is kept.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let body = &rest[start + 2..];
        match body.find(|c: char| ('@'..='~').contains(&c)) {
            Some(end) => rest = &body[end + 1..],
            None => {
                rest = &rest[start..];
                break;
            }
        }
    }
    plain + rest
}

#[test]
fn a_session() {
    let cache = std::env::temp_dir().join(format!("bezout-terminal-{}", std::process::id()));
    let Some(mut session) = Session::new(&cache) else {
        return;
    };
    #[cfg(unix)]
    {
        let data = std::fs::metadata(&cache).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&data.permissions());
        assert_eq!(mode & 0o777, 0o700);
    }
    session.ask("a = 6 * 7", "\n42\r\n");
    session.ask("_ + a", "\n84\r\n");
    session.ask("1 +", "the expression ends too early");
    let shown = session.ask("a;", "\n");
    assert!(!shown.contains("42"), "{shown}");
    session.ask("help sqrt", "square root, rounding down\r\n");
    session.ask("?isqrt", "square root, rounding down\r\n");
    session.ask("?", "quit, Ctrl-D");
    // Names that begin as typed are listed, and the line stays.
    session.send("ispr\t");
    session.wait_for("isprime(");
    session.send("7)\r");
    session.wait_for("\n1\r\n");
    session.wait_for("> ");
    session.send("is\t");
    let listed = session.wait_for("isprime(");
    assert!(listed.contains("issquare("), "{listed}");
    session.wait_for("> is");
    session.send("\u{3}");
    session.wait_for("> ");
    session.ask("42", "\n42\r\n");
    session.ask(":full", "\n42\r\n");
    // Long answers are shortened, and shown in full where that is asked for.
    let shown = session.ask("10^20000", "(20001 digits;");
    assert!(shown.len() < 1000, "{shown}");
    session.ask(":full", &"0".repeat(20_000));
    session.ask("print(10^20000)", &"0".repeat(20_000));
    // The up arrow brings an earlier line back.
    session.ask("20 + 3", "\n23\r\n");
    session.ask("\u{1b}[A + 100", "\n123\r\n");
    // Ctrl-C clears a line that is being typed.
    session.send("12345");
    session.wait_for("12345");
    session.send("\u{3}");
    session.wait_for("> ");
    session.ask("5 - 3", "\n2\r\n");
    // It stops a computation, and the session goes on.
    // One of these powers takes half a second on a fast machine.
    let powers = [3, 5, 6, 7, 11, 13].map(|base| format!("bits({base}^(2^28))"));
    session.send(&format!("{}\r", powers.join(" + ")));
    thread::sleep(Duration::from_millis(500));
    session.send("\u{3}");
    session.wait_for("stopped\r\n");
    session.wait_for("> ");
    session.ask("a + 1", "\n43\r\n");
    assert_eq!(session.end("\u{4}"), Some(0));

    let mut session = Session::new(&cache).unwrap();
    session.ask("\u{1b}[A", "has no value");
    assert_eq!(session.end("quit\r"), Some(0));
    std::fs::remove_dir_all(&cache).unwrap();
}
