//! `annotations.jsonl` of `threshr annotate` in the folder of the pages: block labels by annotators.

use crate::annotations::{
    self, By, FILE, FORMAT, Label, Record, Renamed, State, carry_over, folded, renamed_remark,
};
use crate::gold::places::inside;
use crate::gold::{Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, data_set};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use threshr_core::Setting;
use threshr_core::policy::{Policy, property};
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_io::names;
use threshr_io::readers;
use threshr_io::records::{self, Records};

/// Labels that count as content if neither an option nor a policy selects the labels.
const CONTENT: [Label; 2] = [Label::Content, Label::Headline];

/// Annotation files with block labels.
pub(super) static READER: Reader = Reader {
    name: "annotations",
    summary: "annotations.jsonl of `threshr annotate` next to the pages; completed pages have gold; the labels content and headline, or those of the policy in policy.toml, are content (--gold-labels selects others)",
    source: "threshr",
    rank: 8,
    detect,
    read,
};

fn detect(probe: &Probe, _: &ReadOptions) -> Match {
    let states_format = |record: &records::Record| record.text(&["format"]).as_deref() == Some(FORMAT);
    if !probe.is_folder {
        return if probe.records.first().is_some_and(states_format) { Match::Yes } else { Match::No };
    }
    let path = probe.path.join(FILE);
    if !path.is_file() {
        return Match::No;
    }
    let first = Records::open(&path).ok().and_then(|mut records| records.next()?.ok());
    match first.is_some_and(|record| states_format(&record)) {
        true => Match::Yes,
        false => Match::Near(9, format!("the first line of {FILE} is not in the format {FORMAT}")),
    }
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_path_buf() };
    let dir =
        file.parent().filter(|p| !p.as_os_str().is_empty()).map_or(PathBuf::from("."), Path::to_path_buf);
    let (kept, policy) = kept(&dir, options)?;
    let mut contents = annotations::read(&file)?;
    let mut remarks: Vec<String> = contents.cut.iter().map(ToString::to_string).collect();
    remarks.extend(follow_renamed(&dir, &mut contents.records));
    let ids = page_ids(&dir);
    let mut by_page: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in &contents.records {
        by_page.entry(&record.id).or_default().push(record);
    }
    let (mut pages, mut drafts, mut skipped, mut several, mut changed) = (Vec::new(), 0, 0, 0, Vec::new());
    let mut origins = Origins::default();
    for (id, records) in by_page {
        let has = |state: State| records.iter().any(|record| record.state == state);
        let done: Vec<&Record> =
            records.iter().copied().filter(|record| record.state == State::Done).collect();
        if done.is_empty() {
            let num = if has(State::Draft) { &mut drafts } else { &mut skipped };
            *num += 1;
            continue;
        }
        several += usize::from(done.len() > 1);
        let path = inside(&dir, id).map_err(|e| e.at_page(id).at_path(&file))?;
        let url = done.iter().rev().find_map(|record| record.url.clone());
        // a missing page has no other id
        let page_id = ids.get(id).map_or(id, String::as_str);
        let page =
            GoldPage { site: url.as_deref().and_then(site_of), url, ..GoldPage::in_file(page_id, path) };
        // a page that cannot be read gives an error only when the page is used
        let sha256 = page.load().ok().map(|bytes| annotations::hash(&bytes));
        let is_current = |record: &&&Record| sha256.as_ref() == Some(&record.sha256);
        let Some(&base) = done.iter().rev().find(is_current).or_else(|| done.last()) else { continue };
        if sha256.is_some_and(|hash| hash != base.sha256) {
            changed.push(id.to_owned());
        }
        let (gold, unsure) = texts(base, &done, &kept);
        origins.add(base, &kept);
        pages.push(GoldPage { gold: Some(Gold::text(gold)), unsure, ..page });
    }
    if pages.is_empty() {
        return Err(Error::data("no page is done")
            .expected(format!("pages with the state `done`; {drafts} are drafts, {skipped} are skipped"))
            .at_path(&file));
    }
    let mut say = |num: usize, one: &str, many: &str| {
        if num > 0 {
            remarks.push(if num == 1 { format!("1 page {one}") } else { format!("{num} pages {many}") });
        }
    };
    say(drafts, "is a draft and is left out", "are drafts and are left out");
    say(skipped, "is skipped by the annotators", "are skipped by the annotators");
    let majority = "several annotators; the majority counts, and blocks with a tie are unsure: training leaves them out, and evaluation counts them as boilerplate";
    say(several, &format!("has {majority}"), &format!("have {majority}"));
    let first = changed.first().map(String::as_str).unwrap_or_default();
    let since = "changed since the annotation";
    say(
        changed.len(),
        &format!("has {since}: {first}; the texts are searched in the new page"),
        &format!("have {since}, such as {first}; the texts are searched in the new pages"),
    );
    Ok(Listing { pages, remarks, policy, labels_of_models: origins.sentence() })
}

/// Numbers of content words, by the origin of their labels.
#[derive(Default)]
struct Origins<'r> {
    num_words: usize,
    /// Words whose label was given by a model and changed by nobody, by the name of the model.
    of_models: BTreeMap<&'r str, usize>,
}

impl<'r> Origins<'r> {
    fn add(&mut self, record: &'r Record, kept: &[Label]) {
        // the name of the model may be followed by its policy
        let model = record.model.as_deref().and_then(|name| name.split(", ").next());
        for block in record.labels.iter().filter(|block| kept.contains(&block.label)) {
            let num_words = block.text.split_whitespace().count();
            self.num_words += num_words;
            if let Some(model) = model.filter(|_| block.by == By::Model) {
                *self.of_models.entry(model).or_default() += num_words;
            }
        }
    }

    /// Returns a sentence about the labels of models; `None` if there are none.
    fn sentence(&self) -> Option<String> {
        let percent = |num: usize| (100.0 * num as f64 / self.num_words as f64).round().max(1.0);
        let of_model = |(name, &num): (&&str, &usize)| {
            format!(
                "{} % of the gold words have labels of the model `{name}` that nobody changed",
                percent(num)
            )
        };
        let found: Vec<String> = self.of_models.iter().filter(|(_, num)| **num > 0).map(of_model).collect();
        (!found.is_empty()).then(|| format!("{}; the scores of this model are too high", found.join("; ")))
    }
}

/// Maps each page path in annotations to the id of the page. The ids are those that `predict` writes.
fn page_ids(dir: &Path) -> HashMap<String, String> {
    let sources =
        threshr_io::sources(&[dir.to_path_buf()], None).map(|found| found.sources).unwrap_or_default();
    let paths: Vec<PathBuf> = sources.into_iter().map(|source| source.path).collect();
    let stated = paths.iter().map(|path| names::id_in(path, dir));
    stated.zip(readers::page_ids(&paths)).collect()
}

/// Replaces the ids in the records of renamed pages by the new ids, which are found by the bytes of the
/// pages. Returns a remark about these pages.
fn follow_renamed(dir: &Path, records: &mut Vec<Record>) -> Option<String> {
    if records.iter().all(|record| inside(dir, &record.id).is_ok_and(|path| path.is_file())) {
        return None;
    }
    let sources = threshr_io::sources(&[dir.to_path_buf()], None).ok()?.sources;
    let ids: Vec<String> = sources.iter().map(|source| names::id_in(&source.path, dir)).collect();
    let hash = |index: usize| {
        let page = GoldPage::in_file("", &sources[index].path);
        page.load().ok().map(|bytes| annotations::hash(&bytes))
    };
    let renamed = annotations::renamed(records.iter(), &ids, hash);
    for Renamed { id, annotator, to } in &renamed {
        let is_it = |record: &Record| record.id == *id && record.annotator == *annotator;
        match to {
            Some(to) => records.iter_mut().filter(|r| is_it(r)).for_each(|r| r.id.clone_from(to)),
            None => records.retain(|record| !is_it(record)),
        }
    }
    renamed_remark(&renamed)
}

/// Returns the labels that count as content, and the policy that corresponds to them. The labels are given by the
/// options, otherwise by the policy of the folder, otherwise by [`CONTENT`].
fn kept(dir: &Path, options: &ReadOptions) -> Result<(Vec<Label>, Option<Policy>)> {
    let declared = data_set::declared_policy(dir)?;
    let labels = match (&options.labels, declared) {
        (Some(names), _) => names.iter().map(|name| label(name)).collect::<Result<Vec<_>>>()?,
        (None, Some(policy)) => {
            let counts = |label: &Label| match label.property() {
                Some(name) => property(name).is_ok_and(|property| policy.has(property)),
                None => *label == Label::Content,
            };
            Label::ALL.into_iter().filter(counts).collect()
        }
        (None, None) => CONTENT.to_vec(),
    };
    let with = |policy: Policy, label: Label| {
        let property = label.property().and_then(|name| property(name).ok());
        property.map_or(policy, |property| policy.with(property, labels.contains(&label)))
    };
    let made = Label::ALL.into_iter().fold(Policy::default(), with);
    Ok((labels, declared.or(Some(made))))
}

/// Returns the label with the given name from the options.
fn label(name: &str) -> Result<Label> {
    let found = Label::ALL.into_iter().find(|label| label.name() == name && *label != Label::Unsure);
    found.ok_or_else(|| {
        let names: Vec<&str> =
            Label::ALL.into_iter().map(Label::name).filter(|name| *name != "unsure").collect();
        Error::invalid_option(format!("annotations have no label `{name}` that can be content"))
            .expected(names.join(", "))
            .with_setting(Setting::GoldLabels)
    })
}

/// Returns the content text, one block per line, and the texts of undecided blocks. The blocks are those of `base`.
/// If there are several annotators, the majority vote decides, and ties are undecided.
fn texts(base: &Record, done: &[&Record], kept: &[Label]) -> (String, Vec<String>) {
    let blocks: Vec<_> = base.labels.iter().map(|l| (l.source.clone(), l.text.as_str())).collect();
    // numbers of votes for content and against content
    let mut votes = vec![[0_usize; 2]; blocks.len()];
    for record in done {
        let labels = match std::ptr::eq(*record, base) {
            true => record.labels.iter().map(|l| Some(l.label)).collect(),
            false => carry_over(record, &base.sha256, &blocks),
        };
        for (vote, label) in votes.iter_mut().zip(labels) {
            if let Some(label) = label.filter(|label| *label != Label::Unsure) {
                vote[usize::from(!kept.contains(&label))] += 1;
            }
        }
    }
    let (mut content, mut unsure) = (Vec::new(), Vec::new());
    for ((_, text), [yes, no]) in blocks.into_iter().zip(votes) {
        let text = folded(text);
        match yes.cmp(&no) {
            _ if text.is_empty() => {}
            std::cmp::Ordering::Greater => content.push(text),
            std::cmp::Ordering::Equal => unsure.push(text),
            std::cmp::Ordering::Less => {}
        }
    }
    (content.join("\n"), unsure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::{BlockLabel, By, Store};
    use crate::gold::DataSet;

    const PAGE: &str = "<p>Menu<h1>Rain</h1><p>By Ada<p>It rained.<p>Nobody went out.<p>Nice!";
    const TEXTS: [&str; 6] = ["Menu", "Rain", "By Ada", "It rained.", "Nobody went out.", "Nice!"];
    const LABELS: [Label; 6] =
        [Label::Boilerplate, Label::Headline, Label::Byline, Label::Content, Label::Unsure, Label::Comment];

    fn record(id: &str, annotator: &str, state: State, labels: &[Label]) -> Record {
        let label = |(text, label): (&str, &Label)| BlockLabel {
            source: PAGE.find(text).map(|at| at..at + text.len()),
            text: text.to_owned(),
            label: *label,
            by: By::Person,
        };
        Record {
            id: id.to_owned(),
            url: Some("https://www.example.org/rain".to_owned()),
            sha256: annotations::hash(PAGE.as_bytes()),
            annotator: annotator.to_owned(),
            time: "2026-11-28T10:00:00Z".to_owned(),
            state,
            model: None,
            labels: TEXTS.into_iter().zip(labels).map(label).collect(),
        }
    }

    /// Creates a folder with pages and annotations.
    fn folder(records: &[Record]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(dir.path()).expect("opened");
        for record in records {
            let path = dir.path().join(&record.id);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, PAGE).expect("written");
            store.put(record.clone()).expect("written");
        }
        dir
    }

    fn text(page: &GoldPage) -> &str {
        match &page.gold {
            Some(Gold::Text { text, .. }) => text,
            _ => "",
        }
    }

    #[test]
    fn pages_that_are_done_have_gold() {
        let dir = folder(&[
            record("a/1.html", "ada", State::Done, &LABELS),
            record("2.html", "ada", State::Draft, &LABELS),
            record("3.html", "ada", State::Skipped, &[]),
        ]);
        let options = ReadOptions::default();
        let open = |path: &Path, options: &ReadOptions| DataSet::open(path, options).expect("a set");
        let set = open(dir.path(), &options);
        assert_eq!((set.format, set.pages.len()), ("annotations", 1));
        let page = &set.pages[0];
        assert_eq!(
            (page.id.as_str(), page.site.as_deref(), text(page)),
            ("1", Some("example.org"), "Rain\nIt rained.")
        );
        assert_eq!(page.unsure, ["Nobody went out."]);
        assert_eq!(page.load().expect("read"), PAGE.as_bytes());
        assert_eq!(set.policy.map(|p| p.name()).as_deref(), Some("main+title"));
        assert_eq!(set.remarks, ["1 page is a draft and is left out", "1 page is skipped by the annotators"]);
        let by_file = open(&dir.path().join(FILE), &options);
        assert_eq!((text(&by_file.pages[0]), &by_file.name), (text(page), &set.name));
        let chosen = ["content", "comment"].map(str::to_owned).to_vec();
        let chosen = ReadOptions { labels: Some(chosen), ..ReadOptions::default() };
        let set = open(dir.path(), &chosen);
        assert_eq!(text(&set.pages[0]), "It rained.\nNice!");
        assert_eq!(set.policy.map(|p| p.name()).as_deref(), Some("main+comments"));
        let unknown = ReadOptions { labels: Some(vec!["unsure".to_owned()]), ..ReadOptions::default() };
        let error = DataSet::open(dir.path(), &unknown).expect_err("no label").to_string();
        assert!(error.contains("headline"), "{error}");
        // the policy of the folder selects the labels
        std::fs::write(dir.path().join("policy.toml"), "policy = 'full-comments'").expect("written");
        let set = open(dir.path(), &options);
        assert_eq!(text(&set.pages[0]), "Rain\nBy Ada\nIt rained.");
        assert_eq!(set.policy.map(|p| p.name()).as_deref(), Some("full-comments"));
    }

    #[test]
    fn labels_of_a_model_are_told() {
        let mut of_model = record("1.html", "ada", State::Done, &LABELS);
        of_model.model = Some("default, main+title".to_owned());
        of_model.labels.iter_mut().for_each(|label| label.by = By::Model);
        let said = |record: &Record| {
            let set = DataSet::open(folder(std::slice::from_ref(record)).path(), &ReadOptions::default())
                .expect("a set");
            assert_eq!(set.remarks, Vec::from_iter(set.labels_of_models.clone()));
            set.labels_of_models
        };
        let share = said(&of_model).expect("a sentence");
        assert!(share.starts_with("100 % of the gold words have labels of the model `default` "), "{share}");
        // the headline has one of three content words
        of_model.labels[1].by = By::Person;
        assert!(said(&of_model).expect("a sentence").starts_with("67 %"));
        of_model.labels.iter_mut().for_each(|label| label.by = By::Person);
        assert_eq!(said(&of_model), None);
    }

    #[test]
    fn ids_are_those_of_predict() {
        let records = ["a/1.html", "b/1.html", "2.html"].map(|id| record(id, "ada", State::Done, &LABELS));
        let dir = folder(&records);
        // pages without labels also have unique ids
        std::fs::write(dir.path().join("b/2.html"), PAGE).expect("written");
        let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
        let mut ids: Vec<&str> = set.pages.iter().map(|page| page.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["2", "a/1", "b/1"]);
        let sources = threshr_io::sources(&[dir.path().to_path_buf()], None).expect("a folder").sources;
        let of_predict: Vec<String> =
            sources.iter().map(|s| s.named(threshr_io::RawPage::at(&s.path)).id).collect();
        assert!(ids.iter().all(|id| of_predict.iter().any(|p| p == id)), "{of_predict:?}");
    }

    #[test]
    fn changed_and_missing_pages_are_told() {
        let dir = folder(&[
            record("1.html", "ada", State::Done, &LABELS),
            record("2.html", "ada", State::Done, &LABELS),
        ]);
        std::fs::write(dir.path().join("1.html"), "<p>It rained.").expect("written");
        std::fs::remove_file(dir.path().join("2.html")).expect("removed");
        let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
        assert!(set.remarks.len() == 1 && set.remarks[0].contains("1.html"), "{:?}", set.remarks);
        assert_eq!(text(&set.pages[0]), "Rain\nIt rained.");
        assert!(set.pages[1].load().is_err());
    }

    #[test]
    fn renamed_pages_keep_their_labels() {
        let dir = folder(&[
            record("1.html", "ada", State::Done, &LABELS),
            record("old/2.html", "ada", State::Done, &LABELS),
            record("old/2.html", "bob", State::Done, &LABELS),
        ]);
        let at = |name: &str| dir.path().join(name);
        // 2.html has different bytes than 1.html, and they are unchanged when it is renamed
        let page = format!("{PAGE}<!-- 2 -->");
        let lines = std::fs::read_to_string(at(FILE)).expect("read");
        let of = |page: &str| annotations::hash(page.as_bytes());
        let lines = lines.lines().map(|line| match line.contains("old/2") {
            true => line.replace(&of(PAGE), &of(&page)),
            false => line.to_owned(),
        });
        std::fs::write(at(FILE), lines.collect::<Vec<_>>().join("\n")).expect("written");
        std::fs::remove_file(at("old/2.html")).expect("removed");
        std::fs::write(at("new.html"), &page).expect("written");
        let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
        let pages: Vec<_> = set.pages.iter().map(|p| (p.id.as_str(), text(p), p.load().is_ok())).collect();
        let gold = "Rain\nIt rained.";
        assert_eq!(pages, [("1", gold, true), ("new", gold, true)]);
        let said = set.remarks.join("; ");
        assert!(
            said.contains("old/2.html") && said.contains("new.html") && !said.contains("changed"),
            "{said}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_are_found() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(dir.path()).expect("opened");
        for name in [&b"bad\xff.html"[..], b"bad\xfe.html"] {
            let path = dir.path().join(std::ffi::OsStr::from_bytes(name));
            std::fs::write(&path, PAGE).expect("written");
            let id = names::id_in(&path, dir.path());
            store.put(record(&id, "ada", State::Done, &LABELS)).expect("written");
        }
        let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
        assert_eq!(set.pages.iter().filter(|p| p.load().is_ok() && !text(p).is_empty()).count(), 2);
        assert!(set.remarks.is_empty(), "{:?}", set.remarks);
    }

    #[test]
    fn of_several_annotators_the_majority_counts() {
        let labels = |changes: &[(usize, Label)]| {
            let mut labels = LABELS;
            changes.iter().for_each(|(at, label)| labels[*at] = *label);
            labels
        };
        let ada = record("1.html", "ada", State::Done, &LABELS);
        let bob =
            record("1.html", "bob", State::Done, &labels(&[(3, Label::Boilerplate), (4, Label::Content)]));
        let eve =
            record("1.html", "eve", State::Done, &labels(&[(1, Label::Unsure), (4, Label::Boilerplate)]));
        let read = |records: &[Record]| {
            let dir = folder(records);
            let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
            (text(&set.pages[0]).to_owned(), set.pages[0].unsure.clone(), set.remarks)
        };
        let (text, unsure, remarks) = read(&[ada.clone(), bob.clone()]);
        assert_eq!((text.as_str(), &unsure[..]), ("Rain\nNobody went out.", &["It rained.".to_owned()][..]));
        assert!(remarks.len() == 1 && remarks[0].starts_with("1 page has several"), "{remarks:?}");
        let (text, unsure, _) = read(&[ada.clone(), bob, eve]);
        assert_eq!((text.as_str(), &unsure[..]), ("Rain\nIt rained.", &["Nobody went out.".to_owned()][..]));
        let draft = Record { annotator: "bob".to_owned(), state: State::Draft, ..ada.clone() };
        assert!(read(&[ada, draft]).2.is_empty());
    }

    #[test]
    fn other_files_are_no_annotations() {
        let dir = folder(&[record("1.html", "ada", State::Draft, &LABELS)]);
        let path = dir.path().join(FILE);
        let error = || DataSet::open(dir.path(), &ReadOptions::default()).expect_err("no set").to_string();
        assert!(error().contains("1 are drafts"), "{}", error());
        let lines = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, format!("{lines}{{}}\n")).expect("written");
        assert!(error().contains("annotations.jsonl:2"), "{}", error());
        for text in ["", "{", "{}\n", "{\"format\": \"other\"}\n", "words"] {
            std::fs::write(&path, text).expect("written");
            assert!(error().contains("the most similar format is `annotations`"), "{text}: {}", error());
        }
        // a `gold.jsonl` has priority over annotations
        std::fs::write(&path, lines).expect("written");
        std::fs::write(dir.path().join("gold.jsonl"), "{\"id\": 1, \"html\": \"<p>x\", \"gold\": \"x\"}")
            .expect("written");
        let set = DataSet::open(dir.path(), &ReadOptions::default()).expect("a set");
        assert_eq!(set.format, "jsonl");
    }
}
