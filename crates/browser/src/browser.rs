//! A running Chromium.

use crate::page::{self, Drawn};
use crate::pipe::{Message, Pipe};
use crate::{Input, Settings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use threshr_core::{Error, ErrorKind, Result};
use threshr_io::atomic;

/// Time for the start.
const START: Duration = Duration::from_secs(60);

/// Bytes of Chromium's messages that an error shows.
const MAX_SHOWN: usize = 400;

/// The running browsers of this program, for [`kill_all`].
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());

/// Kills all browsers of this program. Call it before the program is stopped without dropping them.
pub fn kill_all() {
    for child in running().drain(..) {
        kill(&child);
    }
}

fn running() -> std::sync::MutexGuard<'static, Vec<Arc<Mutex<Child>>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // It fails only for a process that has ended.
    let _ = child.kill();
    let _ = child.wait();
}

/// A running Chromium. It is killed and its profile is removed when it is dropped.
#[derive(Debug)]
pub struct Browser {
    pub(crate) pipe: Pipe,
    pub(crate) settings: Settings,
    child: Arc<Mutex<Child>>,
    profile: Option<TempDir>,
}

impl Browser {
    /// Starts Chromium with a new profile.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer within a minute. The error shows its last messages.
    pub fn start(settings: &Settings) -> Result<Self> {
        Self::start_in(&std::env::temp_dir(), settings)
    }

    /// Starts Chromium with a new profile in the folder `dir`.
    ///
    /// # Errors
    /// As [`Browser::start`].
    pub fn start_in(dir: &Path, settings: &Settings) -> Result<Self> {
        let profile = tempfile::Builder::new().prefix(".threshr-").suffix(".tmp").tempdir_in(dir);
        let profile = profile.map_err(|e| Error::io(dir, e))?;
        atomic::register_unfinished(profile.path());
        let log = profile.path().join("threshr-log");
        let errors = std::fs::File::create(&log).map_err(|e| Error::io(&log, e))?;
        let mut command = command(settings, profile.path())?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let failed = |e| Error::recipe("Chromium cannot be started").at_path(&settings.chromium).because(e);
        let mut child = command.spawn().map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let child = Arc::new(Mutex::new(child));
        running().push(Arc::clone(&child));
        let (to, from) = pipes.ok_or_else(|| Error::recipe("Chromium has no pipes"))?;
        let pipe = Pipe::new(to, from);
        let mut browser = Browser { pipe, settings: settings.clone(), child, profile: Some(profile) };
        let answer: Result<Value> =
            browser.call("Browser.getVersion", &json!({}), None, Instant::now() + START, &mut |_, _| Ok(()));
        answer.map(|_| ()).map_err(|e| {
            let all = std::fs::read(&log).unwrap_or_default();
            let shown = String::from_utf8_lossy(&all[all.len().saturating_sub(MAX_SHOWN)..]).into_owned();
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            let why = if shown.is_empty() { String::new() } else { format!(": {shown}") };
            Error::recipe(format!("Chromium does not start{why}")).at_path(&settings.chromium).because(e)
        })?;
        Ok(browser)
    }

    /// Draws a page.
    ///
    /// # Errors
    /// If the page cannot be opened, takes too long or is too large, or its HTML does not fit its geometry.
    /// The browser must not be used after an error: drop it and start another.
    pub fn draw(&mut self, input: Input<'_>) -> Result<Drawn> {
        page::draw(self, input)
    }

    /// Calls a method and returns its result. Other messages that arrive meanwhile go to `take`.
    pub(crate) fn call<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &Value,
        session: Option<&str>,
        end: Instant,
        take: &mut dyn FnMut(&mut Pipe, Message) -> Result<()>,
    ) -> Result<T> {
        let id = self.pipe.send(method, params, session)?;
        loop {
            let Some(message) = self.pipe.next(end)? else {
                let text = format!("Chromium does not answer in time ({method})");
                return Err(Error::new(ErrorKind::Timeout, text));
            };
            if message.id != Some(id) {
                take(&mut self.pipe, message)?;
                continue;
            }
            if let Some(failure) = message.error {
                return Err(Error::data(format!("Chromium refuses {method}: {}", failure.message)));
            }
            let result = message.result.ok_or_else(|| Error::data("an answer of Chromium has no result"))?;
            return serde_json::from_str(result.get())
                .map_err(|e| Error::data(format!("cannot read Chromium's answer to {method}")).because(e));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        kill(&self.child);
        running().retain(|child| !Arc::ptr_eq(child, &self.child));
        let Some(profile) = self.profile.take() else { return };
        let path = profile.keep();
        // processes that are ending may write into it for a moment
        for _ in 0..20 {
            if std::fs::remove_dir_all(&path).is_ok() || !path.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        atomic::unregister_unfinished(&path);
    }
}

/// Chromium reads the protocol from file 3 and writes it to file 4. The shell gives it standard input and
/// output under these numbers.
#[cfg(unix)]
fn command(settings: &Settings, profile: &Path) -> Result<Command> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"]).arg(&settings.chromium);
    let mut folder = std::ffi::OsString::from("--user-data-dir=");
    folder.push(profile);
    command.arg(folder).args(SWITCHES);
    command.arg(format!("--window-size={},{}", settings.width, settings.height));
    if !settings.network {
        command.args(OFFLINE);
    }
    if !settings.sandbox {
        command.arg("--no-sandbox");
    }
    command.arg("about:blank");
    Ok(command)
}
#[cfg(not(unix))]
fn command(_: &Settings, _: &Path) -> Result<Command> {
    Err(Error::recipe("pages can be drawn on Linux, macOS and other Unix systems only")
        .expected("a system with /bin/sh"))
}

/// No windows, the same drawing on all machines as far as possible, and nothing of a user's browser.
#[cfg(unix)]
const SWITCHES: [&str; 26] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-sync",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,BackForwardCache,PaintHolding",
    "--deny-permission-prompts",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// No name and no address resolves, also for what is not intercepted, such as web sockets; no WebRTC.
#[cfg(unix)]
const OFFLINE: [&str; 3] = [
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
];
