//! Reading ahead gives what reading without threads gives, also after damage.

use super::members::{Cutter, Job, Sizes, Unpacked};
use super::{GZIP, Parts, State};
use flate2::Compression;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Small bounds: members cross the ends of jobs, and some are larger than a job may be.
const SMALL: Sizes = Sizes { before: 0, job: 300, most_packed: 5_000, most_unpacked: 20_000 };

fn packed(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

/// Random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Bytes that are hard to pack.
    fn bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.below(256) as u8).collect()
    }

    fn text(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| b"abc \n"[self.below(5)]).collect()
    }
}

/// A reader that gives pieces of some size, and errors before some of them.
struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    size: usize,
    /// Each how many reads fail; 0 for none.
    error_each: usize,
    num_reads: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.num_reads += 1;
        if self.error_each > 0 && self.num_reads.is_multiple_of(self.error_each) {
            return Err(io::Error::other(format!("read {} fails", self.num_reads)));
        }
        let size = self.size.min(out.len());
        self.bytes.read(&mut out[..size])
    }
}

fn pieces(bytes: &[u8], size: usize) -> Pieces {
    Pieces { bytes: io::Cursor::new(bytes.to_vec()), size, error_each: 0, num_reads: 0 }
}

/// Bytes that were read together, and the error after them.
type Seen = Vec<(Vec<u8>, String)>;

/// What is read.
fn read(from: impl Read + Send + 'static, num_unpackers: usize, sizes: Sizes) -> Seen {
    read_counted(from, num_unpackers, sizes, false).0
}

/// What is read, and how many of the bytes the threads have unpacked. With `settles` the threads are waited for before
/// each read, so they have unpacked all that they can.
fn read_counted(
    from: impl Read + Send + 'static,
    num_unpackers: usize,
    sizes: Sizes,
    settles: bool,
) -> (Seen, usize) {
    let mut parts = Parts::with_sizes(from, num_unpackers, sizes);
    let (mut seen, mut bytes, mut buffer) = (Seen::new(), Vec::new(), [0; 700]);
    let mut num_unpacked = 0;
    loop {
        if settles {
            match &parts.state {
                State::Between(raw) | State::InUnpacked(raw, _) => raw.behind().settle(),
                State::InMember(decoder) => decoder.get_ref().behind().settle(),
                _ => {}
            }
        }
        let error = match parts.read(&mut buffer) {
            Ok(0) => "the end".to_owned(),
            Ok(read) => {
                num_unpacked += if matches!(parts.state, State::InUnpacked(..)) { read } else { 0 };
                bytes.extend_from_slice(&buffer[..read]);
                continue;
            }
            Err(error) => {
                let part = super::BrokenPart::of(&error).map(|part| (part.num_read, part.is_cut()));
                format!("{error} {part:?}")
            }
        };
        let is_end = error == "the end";
        seen.push((std::mem::take(&mut bytes), error));
        if is_end {
            return (seen, num_unpacked);
        }
        assert!(seen.len() < 10_000, "reading does not end");
    }
}

/// Reads in several ways and compares each with reading without threads. How many bytes come before an error depends on
/// the pieces that the file is read in, so these are the same.
fn assert_same(bytes: &[u8], name: &str) -> Seen {
    let mut expected = Seen::new();
    for (size, num_unpackers, settles) in [(170, 3, false), (1_000, 1, true)] {
        expected = read(pieces(bytes, size), 0, SMALL);
        let seen = read_counted(pieces(bytes, size), num_unpackers, SMALL, settles).0;
        assert_eq!(expected.len(), seen.len(), "{name}, pieces of {size}");
        for (a, b) in expected.iter().zip(&seen) {
            assert_eq!(a.1, b.1, "{name}, pieces of {size}");
            assert!(a.0 == b.0, "{name}, pieces of {size}: other bytes before {}", a.1);
        }
    }
    expected
}

/// Members of very different sizes, and what they hold.
fn members() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut random = Random(7);
    let whole_file = [packed(b"one", 6), packed(b"two", 6)].concat();
    let mut contents = vec![Vec::new(), b"x".to_vec(), vec![0; 19_000], vec![0; 21_000], vec![b' '; 300_000]];
    contents.extend([10, 299, 3_000, 7_000, 90_000].map(|size| random.bytes(size)));
    contents.extend((0..40).map(|i| random.text(i * i)));
    // signatures in the middle of stored bytes: a whole file, and its first bytes alone
    contents.push([&random.bytes(500), &whole_file[..], &random.bytes(500)].concat());
    contents.push(b"\x1f\x8b\x08\0".repeat(200));
    contents.push(whole_file.repeat(40));
    let levels = [0, 1, 6];
    let pack = |(i, content): (usize, Vec<u8>)| {
        let level = if content.windows(3).any(|w| w == GZIP) { 0 } else { levels[i % 3] };
        (packed(&content, level), content)
    };
    contents.into_iter().enumerate().map(pack).collect()
}

fn shuffled() -> Vec<(Vec<u8>, Vec<u8>)> {
    let (mut members, mut random) = (members(), Random(3));
    for i in (1..members.len()).rev() {
        members.swap(i, random.below(i + 1));
    }
    members
}

fn file(members: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    members.iter().flat_map(|member| member.0.clone()).collect()
}

#[test]
fn all_members_are_read() {
    for (name, members) in [("in order", members()), ("mixed", shuffled())] {
        let seen = assert_same(&file(&members), name);
        let expected: Vec<u8> = members.into_iter().flat_map(|member| member.1).collect();
        assert!(seen == [(expected, "the end".to_owned())], "{name}");
    }
    assert_same(b"", "nothing");
    assert_same(&[file(&shuffled()), vec![0; 3_000]].concat(), "zeros at the end");
    assert_same(&[file(&shuffled()), b"\x1f\x8b".to_vec()].concat(), "a cut signature");
}

#[test]
fn default_sizes_give_the_same() {
    let mut random = Random(11);
    let members: Vec<Vec<u8>> = (0..60).map(|i| packed(&random.text(40_000 + 9_000 * i), 1)).collect();
    let mut file = members.concat();
    assert!(file.len() > 4 << 20);
    for damage in [0, 1] {
        let middle = file.len() / 2;
        file[middle] ^= damage;
        let all = |num_unpackers| read(io::Cursor::new(file.clone()), num_unpackers, Sizes::default());
        let expected = all(0);
        assert_eq!(expected.len() > 1, damage > 0);
        assert!([1, 2, 5].into_iter().all(|num_unpackers| all(num_unpackers) == expected));
    }
}

#[test]
fn damage_gives_the_same_errors() {
    let (whole, mut random) = (file(&shuffled()), Random(5));
    let mut num_errors = 0;
    for round in 0..100 {
        let mut bytes = whole.clone();
        for _ in 0..1 + round % 4 {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        num_errors += assert_same(&bytes, &format!("round {round}")).len() - 1;
    }
    assert!(num_errors > 100, "{num_errors} errors");
}

#[test]
fn cut_files_give_the_same_errors() {
    let (members, mut random) = (shuffled(), Random(9));
    let ends: Vec<usize> = members
        .iter()
        .scan(0, |end, member| {
            *end += member.0.len();
            Some(*end)
        })
        .collect();
    let whole = file(&members);
    let near = ends.iter().flat_map(|&end| [end - 8, end - 1, end, end + 2, end + 11]);
    let others: Vec<usize> = (0..60).map(|_| random.below(whole.len())).collect();
    for end in near.step_by(3).chain(others) {
        assert_same(&whole[..end.min(whole.len())], &format!("cut at {end}"));
    }
}

#[test]
fn other_bytes_between_members_give_the_same_errors() {
    let mut random = Random(13);
    for round in 0..40 {
        let mut bytes = Vec::new();
        for (member, _) in shuffled() {
            bytes.extend(member);
            match random.below(6) {
                0 => bytes.extend(random.bytes(1 + round * 30)),
                1 => bytes.extend(&b"\x1f\x8b\x08\0garbage"[..1 + random.below(10)]),
                2 => bytes.extend([0; 20]),
                _ => {}
            }
        }
        assert!(assert_same(&bytes, &format!("round {round}")).len() > 1);
    }
}

#[test]
fn errors_of_reading_come_in_their_place() {
    let bytes = file(&shuffled());
    for error_each in [2, 3, 7, 50] {
        let from = || Pieces { error_each, ..pieces(&bytes, 1_000) };
        let expected = read(from(), 0, SMALL);
        assert!(expected.iter().any(|(_, error)| error.contains("fails")));
        for settles in [false, true] {
            assert!(read_counted(from(), 2, SMALL, settles).0 == expected, "each {error_each}");
        }
    }
}

#[test]
fn most_members_come_from_the_threads() {
    let mut random = Random(17);
    let bytes: Vec<u8> = (0..300).flat_map(|_| packed(&random.text(400), 6)).collect();
    let (seen, num_unpacked) = read_counted(pieces(&bytes, 1_000), 2, SMALL, true);
    assert_eq!(seen[0].0.len(), 300 * 400);
    // all but those of the first job, which the caller begins with
    assert!(num_unpacked > 290 * 400, "{num_unpacked} bytes");
    // some members are too large, and damage ends only the job that it is in
    let mut bytes = file(&shuffled());
    let middle = bytes.len() / 2;
    for damage in [0, 1] {
        bytes[middle] ^= damage;
        let num_unpacked = read_counted(pieces(&bytes, 1_000), 2, SMALL, true).1;
        assert!(num_unpacked > 30_000, "{num_unpacked} bytes");
    }
}

#[test]
fn jobs_hold_all_members() {
    let mut random = Random(17);
    let contents: Vec<Vec<u8>> = (0..300).map(|_| random.text(400)).collect();
    let bytes: Vec<u8> = contents.iter().flat_map(|content| packed(content, 6)).collect();
    let mut cutter = Cutter::new(0, SMALL);
    let mut jobs: Vec<Job> = bytes.chunks(170).flat_map(|piece| cutter.add(piece)).collect();
    jobs.extend(cutter.end());
    assert!(jobs.len() > 20);
    // all bytes are in a job, and all members are found
    let (mut end, mut text) = (0, Vec::new());
    for job in jobs {
        let mut unpacked = Unpacked::of(&job, vec![7; 50], SMALL);
        assert_eq!((job.start, unpacked.end), (end, end + job.bytes.len() as u64));
        assert!(unpacked.go_to(job.start) && !unpacked.is_empty());
        end = unpacked.end;
        let mut out = [0; 99];
        loop {
            match unpacked.read(&mut out) {
                0 => break,
                read => text.extend_from_slice(&out[..read]),
            }
        }
        assert!(!unpacked.go_to(end));
    }
    assert!(text == contents.concat());
}

#[test]
fn what_a_job_unpacks_is_bounded() {
    let small = packed(b"small", 6);
    let bytes = [&small[..], &packed(&vec![0; SMALL.most_unpacked + 1], 6), &small].concat();
    let unpacked = Unpacked::of(&Job { start: 5, bytes }, Vec::new(), SMALL);
    assert_eq!(unpacked.end, 5 + small.len() as u64);
    assert!(unpacked.into_room().len() <= SMALL.most_unpacked);
}

/// A pipe: pieces as they arrive.
struct Pipe(Receiver<Vec<u8>>, Arc<AtomicUsize>);

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Ok(piece) = self.0.recv() else { return Ok(0) };
        out[..piece.len()].copy_from_slice(&piece);
        self.1.fetch_add(piece.len(), SeqCst);
        Ok(piece.len())
    }
}

#[test]
fn a_slow_pipe_holds_up_nothing_that_has_arrived() {
    let (to, from) = channel();
    let mut parts = Parts::with_sizes(Pipe(from, Arc::default()), 2, SMALL);
    for round in 0..200 {
        let text = vec![b'a' + round % 26; 100];
        to.send(packed(&text, 6)).expect("it reads");
        let mut out = vec![0; text.len()];
        parts.read_exact(&mut out).expect("read");
        assert_eq!(out, text);
    }
    // Dropping it waits for no piece.
    drop(parts);
    drop(to);
}

#[test]
fn reading_ahead_is_bounded_and_ends_with_the_reader() {
    let (to, from) = channel();
    let num_read = Arc::new(AtomicUsize::new(0));
    let member = packed(&Random(19).bytes(900), 6);
    (0..2_000).for_each(|_| to.send(member.clone()).expect("it reads"));
    let mut parts = Parts::with_sizes(Pipe(from, num_read.clone()), 2, SMALL);
    parts.read_exact(&mut [0; 900]).expect("read");
    let mut before = 0;
    while num_read.load(SeqCst) > before {
        before = num_read.load(SeqCst);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(before < 20 * member.len(), "{before} bytes were read");
    drop(parts);
    // The thread that reads drops the pipe.
    let start = std::time::Instant::now();
    while to.send(Vec::new()).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(60), "the thread still reads");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A reader that panics.
struct Panics;

impl Read for Panics {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("a fault");
    }
}

#[test]
fn a_panic_while_reading_is_an_error() {
    let mut parts = Parts::with_sizes(io::Cursor::new(packed(b"one", 6)).chain(Panics), 1, SMALL);
    let mut out = String::new();
    assert!(parts.read_to_string(&mut out).is_err());
}
