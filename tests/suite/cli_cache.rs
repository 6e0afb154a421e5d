//! `--cache`: what was extracted, kept between runs.

use crate::support::{failure, threshr, toy_set};
use std::path::{Path, PathBuf};

struct Runs {
    dir: tempfile::TempDir,
    set: PathBuf,
    cache: PathBuf,
}

impl Runs {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let (set, cache) = (toy_set(dir.path(), 12), dir.path().join("cache"));
        Runs { dir, set, cache }
    }

    fn model(&self) -> PathBuf {
        self.dir.path().join("model.json")
    }

    /// Trains; gives the model's bytes and standard error.
    fn train(&self, options: &[&str], cache: Option<&Path>) -> (Vec<u8>, String) {
        let mut command = threshr();
        command.args(["train", "--force", "--classifier", "tree", "--data"]).arg(&self.set);
        command.args(options).arg("--out").arg(self.model());
        command.args(cache.iter().flat_map(|c| [Path::new("--cache"), c]));
        let done = command.assert().success().get_output().clone();
        (std::fs::read(self.model()).expect("a model"), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    /// Trains with the cache and without; the models must be the same. Gives how many pages the cache had.
    fn cached(&self, options: &[&str]) -> usize {
        let plain = self.train(options, None).0;
        let (model, stderr) = self.train(options, Some(&self.cache));
        assert!(model == plain, "{options:?}: {stderr}");
        let number = stderr.split_once(" of 12 pages read from ").expect(&stderr).0;
        number.rsplit(' ').next().and_then(|n| n.parse().ok()).expect(&stderr)
    }
}

#[test]
fn models_are_the_same_with_a_cache_whatever_is_in_it() {
    let runs = Runs::new();
    let features = ["--features", "shallow+density+words+policy"];
    let with = |more: &[&'static str]| runs.cached(&[&features[..], more].concat());
    assert_eq!((with(&[]), with(&[])), (0, 12));
    // a page's bytes, its gold, how it is read, what counts as content: all that rows or labels depend on
    let page = runs.set.join("pages/3.html");
    let html = std::fs::read_to_string(&page).expect("read");
    std::fs::write(&page, html.replace("Contact us", "Write to us now")).expect("written");
    assert_eq!((with(&[]), with(&[])), (11, 12));
    let list = runs.set.join("gold.jsonl");
    let gold = std::fs::read_to_string(&list).expect("read");
    std::fs::write(&list, gold.replace("of story 7 tells", "")).expect("written");
    assert_eq!((with(&[]), with(&[])), (11, 12));
    assert_eq!(with(&["--set-policy", "toy=article"]), 0);
    assert_eq!((with(&["--set-policy", "toy=article"]), with(&[])), (12, 12));
    // a threshold of labels is no part of what is kept; other columns are
    assert_eq!((with(&["--seed", "9"]), runs.cached(&["--features", "shallow"]), with(&[])), (12, 0, 0));
    // damage
    let whole = std::fs::read(&runs.cache).expect("there");
    for length in [0, 5, 79, 81, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&runs.cache, &whole[..length]).expect("written");
        assert!(with(&[]) < 12, "{length}");
    }
    let mut damaged = whole.clone();
    damaged[whole.len() / 3] ^= 1;
    std::fs::write(&runs.cache, damaged).expect("written");
    assert_eq!((with(&[]), with(&[])), (11, 12));
    let files = std::fs::read_dir(runs.dir.path()).expect("listed").count();
    assert_eq!(files, 3, "no temporary file is left");
}

#[test]
fn evaluate_and_compare_say_the_same_with_a_cache() {
    let runs = Runs::new();
    let out = |command: &str, extra: &[&Path]| {
        let mut run = threshr();
        run.arg(command).arg("--data").arg(&runs.set).args(["--folds", "3", "--metrics", "token,block"]);
        run.args(["--classifier", "tree", "--features", "shallow+density"]).args(extra);
        String::from_utf8(run.assert().success().get_output().stdout.clone()).expect("UTF-8")
    };
    let cache = [Path::new("--cache"), &runs.cache];
    let plain = out("evaluate", &[]);
    assert_eq!((out("evaluate", &cache), out("evaluate", &cache)), (plain.clone(), plain));
    let dirs = ["a", "b", "c"].map(|name| runs.dir.path().join(name));
    let compare = |dir: &Path, cache: &[&Path]| out("compare", &[&[Path::new("--out"), dir], cache].concat());
    let plain = compare(&dirs[0], &[]);
    assert_eq!((compare(&dirs[1], &cache), compare(&dirs[2], &cache)), (plain.clone(), plain));
    // without features there is nothing to keep, and no other file is written over
    let stderr = |command: &str, options: &[&str]| {
        let mut run = threshr();
        run.arg(command).arg("--data").arg(&runs.set).args(options).arg("--cache").arg(&runs.cache);
        failure(&mut run, 2)
    };
    assert!(stderr("evaluate", &["--system", "bte"]).contains("--cache holds features"));
    let list = runs.set.join("gold.jsonl");
    let mut wrong = threshr();
    wrong.args(["evaluate", "--folds", "3", "--data"]).arg(&runs.set).arg("--cache").arg(&list);
    assert!(failure(&mut wrong, 2).contains("would replace an input"));
    let notes = runs.dir.path().join("notes.txt");
    std::fs::write(&notes, "my notes").expect("written");
    let mut wrong = threshr();
    wrong.args(["evaluate", "--force", "--folds", "3", "--data"]).arg(&runs.set).arg("--cache").arg(&notes);
    assert!(failure(&mut wrong, 2).contains("the file is no cache"));
    assert!(std::fs::read_to_string(&list).expect("there").starts_with('{'));
}

#[test]
fn the_policy_of_a_page_does_not_rest_on_the_cache() {
    let runs = Runs::new();
    for i in 0..12 {
        let page = runs.set.join(format!("pages/{i}.html"));
        let html = std::fs::read_to_string(&page).expect("read");
        let comment = format!("<p>{}", "word after word that a reader left here to be read. ".repeat(9));
        std::fs::write(&page, format!("{html}{comment}<h3>2 comments</h3>{comment}")).expect("written");
    }
    runs.train(&["--features", "shallow"], None);
    let evaluate = |filter: &str| {
        let mut command = threshr();
        command.args(["evaluate", "--overlap", "allow", "--policy", "auto-comments", "--format", "csv"]);
        command.args(["--metrics", "token", "--threshold", "0", "--filter", filter, "--data"]).arg(&runs.set);
        command.arg("--model").arg(runs.model()).arg("--cache").arg(&runs.cache);
        command.assert().success().get_output().stdout.clone()
    };
    let (cold, warm) = (evaluate("comments:20"), evaluate("comments:20"));
    assert!(cold == warm);
    // and it is one that leaves comments out
    let scores = |csv: &[u8]| String::from_utf8_lossy(csv).replace("comments:20", "none");
    assert_ne!(scores(&cold), scores(&evaluate("none")));
}
