//! A running Chromium.

use crate::page::{self, Drawn};
use crate::pipe::{Message, Pipe};
use crate::profile::Profile;
use crate::{Input, Settings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use threshr_core::{Error, ErrorKind, Result};

/// Time for the start.
const START: Duration = Duration::from_secs(60);

/// Time for Chromium to end by itself.
const CLOSING: Duration = Duration::from_secs(2);

/// Time that a start after [`kill_all`] waits before it fails, so that the program ends by its own way.
const STOPPING: Duration = Duration::from_secs(1);

/// Bytes of Chromium's messages that an error shows.
const MAX_SHOWN: usize = 400;

/// Longest path of a folder, in bytes, that Chromium gets for its temporary files. It makes a socket there, whose path
/// may have about 100 bytes.
#[cfg(unix)]
const MAX_TEMPORARY: usize = 56;

/// The browsers of this program.
struct Register {
    /// Whether [`kill_all`] was called.
    is_over: bool,
    running: Vec<Arc<Running>>,
}

static REGISTER: Mutex<Register> = Mutex::new(Register { is_over: false, running: Vec::new() });

/// Kills all browsers of this program and removes their folders. [`Browser::start`] fails from then on. Call it before
/// the program is stopped without dropping its browsers.
pub fn kill_all() {
    // starting and dropping wait until the folders are removed
    let mut register = register();
    register.is_over = true;
    for running in &register.running {
        running.kill();
    }
    for running in register.running.drain(..) {
        running.profile.remove();
    }
}

fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process of Chromium and its folder.
#[derive(Debug)]
struct Running {
    /// `None` after it is killed.
    child: Mutex<Option<Child>>,
    profile: Profile,
}

impl Running {
    /// Kills Chromium and all processes that it started.
    fn kill(&self) {
        let mut slot = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut child) = slot.take() else { return };
        // both fail only for processes that have ended
        kill_group(&child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Kills the processes of the group of `child`, which must not have been waited for.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}
#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// A running Chromium. It is ended and its profile is removed when it is dropped.
#[derive(Debug)]
pub struct Browser {
    pub(crate) pipe: Pipe,
    pub(crate) settings: Settings,
    running: Arc<Running>,
}

impl Browser {
    /// Starts Chromium with a new profile.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer within a minute. The error shows its last messages. After
    /// [`kill_all`].
    pub fn start(settings: &Settings) -> Result<Self> {
        Self::start_in(&std::env::temp_dir(), settings)
    }

    /// Starts Chromium with a new profile in the folder `dir`. Profiles there that killed programs of the same user
    /// left are removed.
    ///
    /// # Errors
    /// As [`Browser::start`].
    pub fn start_in(dir: &Path, settings: &Settings) -> Result<Self> {
        let mut register = register();
        if register.is_over {
            drop(register);
            std::thread::sleep(STOPPING);
            return Err(Error::recipe("Chromium is not started, because the program is being stopped"));
        }
        let profile = Profile::create(dir)?;
        let log = profile.path().join("threshr-log");
        let errors = std::fs::File::create(&log).map_err(|e| Error::io(&log, e))?;
        let mut command = command(settings, profile.path())?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let failed = |e| Error::recipe("Chromium cannot be started").at_path(&settings.chromium).because(e);
        let mut child = command.spawn().map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let running = Arc::new(Running { child: Mutex::new(Some(child)), profile });
        register.running.push(Arc::clone(&running));
        drop(register);
        let (to, from) = pipes.ok_or_else(|| Error::recipe("Chromium has no pipes"))?;
        let pipe = Pipe::new(to, from);
        let mut browser = Browser { pipe, settings: settings.clone(), running };
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
        // a Chromium that ends by itself removes its temporary files
        let end = Instant::now() + CLOSING;
        if self.pipe.send("Browser.close", &json!({}), None).is_ok() {
            while let Ok(Some(_)) = self.pipe.next(end) {}
        }
        self.running.kill();
        self.running.profile.remove();
        register().running.retain(|running| !Arc::ptr_eq(running, &self.running));
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
    // its own group, so that all of its processes can be killed
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    if profile.as_os_str().len() <= MAX_TEMPORARY {
        command.env("TMPDIR", profile);
    }
    Ok(command)
}
#[cfg(not(unix))]
fn command(_: &Settings, _: &Path) -> Result<Command> {
    Err(Error::recipe("pages can be drawn on Linux, macOS and other Unix systems only")
        .expected("a system with /bin/sh"))
}

/// No windows, the same drawing on all machines as far as possible, nothing of a user's browser, and no processes in
/// reserve, which cost a fifth of the time for a page.
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
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,BackForwardCache,PaintHolding,\
     PreloadTopChromeWebUI,SpareRendererForSitePerProcess",
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_in_the_profile() {
        let settings = Settings::new("chromium".into());
        let temporary = |profile: &str| {
            let command = command(&settings, Path::new(profile)).expect("a command");
            let value = command.get_envs().find(|(name, _)| *name == "TMPDIR").and_then(|(_, value)| value);
            value.map(std::ffi::OsStr::to_os_string)
        };
        assert_eq!(temporary("/tmp/.threshr-a.tmp"), Some("/tmp/.threshr-a.tmp".into()));
        // the socket would have too long a path
        assert_eq!(temporary(&format!("/{}", "a".repeat(80))), None);
    }
}
