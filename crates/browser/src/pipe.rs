//! The DevTools protocol over pipes: JSON messages that end in a zero byte.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;
use threshr_core::{Error, ErrorKind, Result};

/// Most bytes of a message. A snapshot of 1 million elements has more.
const MAX_MESSAGE: usize = 96 << 20;

/// Messages that wait to be read. Chromium waits if there are more.
const MAX_WAITING: usize = 256;

/// A message of the browser: the answer to a call, or an event.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub id: Option<u64>,
    pub method: Option<String>,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    pub params: Option<Value>,
    pub result: Option<Box<RawValue>>,
    pub error: Option<Failure>,
}

/// Why a call failed.
#[derive(Debug, Deserialize)]
pub(crate) struct Failure {
    pub message: String,
}

/// Sends calls and receives messages.
#[derive(Debug)]
pub(crate) struct Pipe {
    calls: Sender<Vec<u8>>,
    messages: Receiver<Result<Message>>,
    last_id: u64,
}

impl Pipe {
    /// Reads and writes in threads of their own, which end when the pipes close.
    pub(crate) fn new(mut to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        let (calls, waiting) = channel::<Vec<u8>>();
        std::thread::spawn(move || {
            for call in waiting {
                if to.write_all(&call).and_then(|()| to.flush()).is_err() {
                    return;
                }
            }
        });
        let (arrived, messages) = sync_channel(MAX_WAITING);
        std::thread::spawn(move || receive(from, &arrived));
        Pipe { calls, messages, last_id: 0 }
    }

    /// Sends a call and returns its number.
    pub(crate) fn send(&mut self, method: &str, params: &Value, session: Option<&str>) -> Result<u64> {
        self.last_id += 1;
        let mut call = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        let mut bytes = call.to_string().into_bytes();
        bytes.push(0);
        self.calls.send(bytes).map_err(|_| ended())?;
        Ok(self.last_id)
    }

    /// The next message; `None` if there is none until `end`.
    pub(crate) fn next(&mut self, end: Instant) -> Result<Option<Message>> {
        let left = end.saturating_duration_since(Instant::now());
        // a page that sends without end must not be read without end
        if left.is_zero() {
            return Ok(None);
        }
        match self.messages.recv_timeout(left) {
            Ok(message) => message.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
        }
    }
}

fn ended() -> Error {
    Error::data("Chromium has ended")
}

/// Passes on all messages until the pipe closes, or a message is too long or unreadable.
fn receive(from: impl Read, arrived: &SyncSender<Result<Message>>) {
    let mut from = BufReader::with_capacity(1 << 16, from);
    loop {
        let mut bytes = Vec::new();
        match (&mut from).take(MAX_MESSAGE as u64).read_until(0, &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let message = match bytes.pop() {
            Some(0) => {
                replace_surrogates(&mut bytes);
                serde_json::from_slice::<Message>(&bytes)
                    .map_err(|e| Error::data("cannot read a message of Chromium").because(e))
            }
            _ if bytes.len() + 1 >= MAX_MESSAGE => Err(too_large()),
            _ => return,
        };
        let is_over = message.is_err();
        if arrived.send(message).is_err() || is_over {
            return;
        }
    }
}

/// Replaces escapes of unpaired surrogates in JSON by that of U+FFFD. Scripts can make such texts; no text of Rust can
/// hold them.
fn replace_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(next) = json[at..].iter().position(|&b| b == b'\\') {
        at += next;
        at += match escaped_unit(&json[at..]) {
            // any other escape has two bytes that matter, such as an escaped backslash
            None => 2.min(json.len() - at),
            Some(0xd800..=0xdbff) if matches!(escaped_unit(&json[at + 6..]), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                json[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            Some(_) => 6,
        };
    }
}

/// The UTF-16 unit of an escape such as `\ud83d` at the begin of `json`.
fn escaped_unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    // no sign, which Rust would read
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn too_large() -> Error {
    let most = MAX_MESSAGE >> 20;
    Error::new(ErrorKind::TooLarge, format!("the drawing of the page has more than {most} MB"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn messages(bytes: &'static [u8]) -> Vec<Result<Option<Message>>> {
        let mut pipe = Pipe::new(std::io::sink(), bytes);
        (0..3).map(|_| pipe.next(Instant::now() + Duration::from_secs(5))).collect()
    }

    #[test]
    fn messages_end_in_a_zero_byte() {
        let all = messages(b"{\"id\":7,\"result\":{}}\0{\"method\":\"a.b\",\"params\":{\"x\":1}}\0{\"id\"");
        assert_eq!(all[0].as_ref().expect("read").as_ref().expect("a message").id, Some(7));
        assert_eq!(
            all[1].as_ref().expect("read").as_ref().expect("a message").method.as_deref(),
            Some("a.b")
        );
        assert!(all[2].is_err());
        assert!(messages(b"{]\0")[0].is_err());
    }

    #[test]
    fn unpaired_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\uD83D\uD83D\uDE00""#, "\u{fffd}\u{1f600}"),
            (r#""\ude00\n\ud83d\n""#, "\u{fffd}\n\u{fffd}\n"),
            // an escaped backslash is no begin of an escape
            (r#""\\ud83d \\\ud83d""#, "\\ud83d \\\u{fffd}"),
            (r#""\u0041\ud83d\u0041""#, "A\u{fffd}A"),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            replace_surrogates(&mut bytes);
            assert_eq!(serde_json::from_slice::<String>(&bytes).expect(json), expected, "{json}");
        }
        for bad in [r#""\ud8"#, r#""\"#, r#""\ud83d\u"#, r#""\ud83d\"#] {
            let mut bytes = bad.as_bytes().to_vec();
            replace_surrogates(&mut bytes);
            assert_eq!(bytes.len(), bad.len());
        }
    }

    #[test]
    fn an_endless_message_is_too_large() {
        let mut pipe = Pipe::new(std::io::sink(), std::io::repeat(b' '));
        let error = pipe.next(Instant::now() + Duration::from_secs(60)).expect_err("too large");
        assert_eq!(error.kind, ErrorKind::TooLarge);
    }

    #[test]
    fn waiting_ends() {
        let (_held, from) = std::io::pipe().map(|(from, to)| (to, from)).expect("a pipe");
        let mut pipe = Pipe::new(std::io::sink(), from);
        assert!(pipe.next(Instant::now() + Duration::from_millis(20)).expect("no message").is_none());
    }
}
