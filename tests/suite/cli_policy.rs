//! Content policies and explanations on the command line.

use crate::support::{demo_page, failure, output, repository, threshr, toy_set};

#[test]
fn a_policy_is_an_input_of_the_model() {
    let predict = |policy: &str| {
        output(threshr().args(["predict", "--format", "jsonl", "--policy", policy]).arg(demo_page()))
    };
    assert_eq!(predict("auto"), predict("main"));
    assert_eq!(predict("auto"), output(threshr().args(["predict", "--format", "jsonl"]).arg(demo_page())));
    let scores = |policy: &str| {
        output(threshr().args(["predict", "--format", "blocks", "--policy", policy]).arg(demo_page()))
    };
    assert_ne!(scores("main"), scores("full"));
    // options that override one property of the policy
    let switched = |options: &[&str]| {
        output(threshr().args(["predict", "--format", "blocks"]).args(options).arg(demo_page()))
    };
    assert_eq!(switched(&["--policy", "main", "--comments"]), scores("main+comments"));
    assert_eq!(switched(&["--policy", "full", "--no-title"]), scores("full-title"));
    assert_eq!(switched(&["--policy", "main", "--no-items"]), scores("main-items"));
    for other in ["main-items", "main-posts", "main+teasers"] {
        assert_ne!(scores(other), scores("main"), "{other}");
    }
    // the last of two contradicting options wins
    assert_eq!(switched(&["--no-title", "--title"]), scores("auto+title"));
    failure(threshr().args(["predict", "--comments", "--system", "bte"]).arg(demo_page()), 2);
    let error = failure(threshr().args(["predict", "--policy", "best"]).arg(demo_page()), 2);
    assert!(error.contains("article") && error.contains("full"), "{error}");
    let error = failure(threshr().args(["predict", "--policy", "main+everything"]).arg(demo_page()), 2);
    assert!(error.contains("comments"), "{error}");
}

#[test]
fn headings_are_left_out_where_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    let text = "A fox was seen in the old town, and all who saw it spoke of it. ".repeat(8);
    let html = format!(
        "<title>Foxes</title><h1>Foxes</h1><p>{text}<h2>More foxes</h2><p>{text}<h2>And bears</h2><p>{text}"
    );
    std::fs::write(&page, html).expect("written");
    let run = |options: &[&str]| {
        let out = threshr()
            .args(["predict", "--model"])
            .arg(repository("models/tiny.json"))
            .args(options)
            .arg(&page)
            .output();
        let out = out.expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(out.stdout), text(out.stderr))
    };
    let (with, stderr) = run(&[]);
    assert!(
        with.contains("More foxes") && with.contains("And bears") && stderr.is_empty(),
        "{with} {stderr}"
    );
    // the filter implements this property, so there is no warning that the model does not depend on it
    let (without, stderr) = run(&["--no-headings"]);
    assert!(without.contains("A fox") && !without.contains("More foxes") && !without.contains("And bears"));
    assert_eq!(stderr, "");
    let (with, stderr) = run(&["--no-headings", "--filter", "none"]);
    assert!(with.contains("More foxes") && stderr.contains("only the filter `headings`"), "{with} {stderr}");
}

#[test]
fn extras_are_left_out_where_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    let text = "A fox was seen in the old town, and all who saw it spoke of it. ".repeat(8);
    let html = format!(
        "<title>Foxes in town</title><h1>Foxes in town</h1><p class=standfirst>{}<p>{text}<p>{text}<p>{text}\
         <p>Reporting by Ann Miller, who has seen the fox in the old town; editing by Joe Smith",
        "They come at night, and nobody knows from where they come. ".repeat(3)
    );
    std::fs::write(&page, html).expect("written");
    let run = |options: &[&str]| {
        let model = repository("models/tiny.json");
        let out = threshr().args(["predict", "--model"]).arg(model).args(options).arg(&page).output();
        let out = out.expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(text(out.stderr), "");
        text(out.stdout)
    };
    let with = run(&[]);
    assert!(with.contains("They come at night") && with.contains("Ann Miller"), "{with}");
    for options in
        [&["--no-extras"][..], &["--policy", "article-extras"], &["--no-extras", "--filter", "none"]]
    {
        let without = run(options);
        assert!(without.contains("A fox was seen"), "{without}");
        assert!(!without.contains("They come at night") && !without.contains("Ann Miller"), "{without}");
    }
}

#[test]
fn comments_that_are_announced_are_left_out_where_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    let comment = |what: &str| {
        format!(
            "<p>{}</p>",
            format!("{what} was seen in the old town, and all who saw it spoke of it. ").repeat(8)
        )
    };
    let html = format!(
        "<h1>News</h1>{}{}<h3>2 comments</h3>{}{}",
        comment("A fox"),
        comment("A bear"),
        comment("My cat"),
        comment("His dog")
    );
    std::fs::write(&page, format!("<title>News</title>{html}")).expect("written");
    let text = |options: &[&str]| output(threshr().arg("predict").args(options).arg(&page));
    let (asked, not) = (text(&["--policy", "article"]), text(&["--policy", "full"]));
    assert!(asked.contains("A bear") && !asked.contains("My cat"), "{asked}");
    assert!(not.contains("A bear") && not.contains("His dog"), "{not}");
    // no comments are removed without a request
    assert_eq!(text(&["--filter", "repeats"]), text(&[]));
    let switched = text(&["--no-comments"]);
    assert!(switched.contains("A bear") && !switched.contains("My cat"), "{switched}");
    // a warning: for a policy with posts, `--no-comments` has no effect
    let mut stated = threshr();
    stated.args(["predict", "--policy", "main", "--no-comments"]).arg(&page);
    let stated = String::from_utf8(stated.output().expect("run").stderr).expect("UTF-8");
    assert!(stated.contains("use --policy auto"), "{stated}");
    for options in [["--no-comments", "--title"], ["--policy", "article"], ["--policy", "auto-comments"]] {
        let stderr = threshr().arg("predict").args(options).arg(&page).output().expect("run").stderr;
        assert!(stderr.is_empty(), "{options:?}");
    }
    // a filter that is applied to a system works as usual
    let method = text(&["--system", "keep-everything", "--filter", "comments:20"]);
    assert!(method.contains("A bear") && !method.contains("2 comments"), "{method}");
}

#[test]
fn other_stories_are_content_where_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    let sentence =
        "The council agreed on a new plan for the old harbour, which is to be built within four years. ";
    let story = |i: usize| {
        format!(
            "<div class=teaser><h3><a href=/{i}>Council of town {i} sells a park</a></h3>\
            <p>Nobody knows yet what is going to be built there, said the mayor of town {i}.</div>"
        )
    };
    let (text, stories) = (sentence.repeat(4), (0..6).map(story).collect::<String>());
    let html = format!(
        "<title>Harbour</title><h1>Harbour</h1><p>{text}<p>{text}<h2>More stories</h2><div>{stories}</div>"
    );
    std::fs::write(&page, html).expect("written");
    let mean = |policy: &str| {
        let table = output(threshr().args(["predict", "--format", "blocks", "--policy", policy]).arg(&page));
        let of_stories = table.lines().filter(|l| l.contains("of town"));
        let scores: Vec<f64> =
            of_stories.map(|l| l.split('\t').nth(3).expect("a score").parse().expect("a number")).collect();
        assert_eq!(scores.len(), 12);
        scores.iter().sum::<f64>() / 12.0
    };
    let (without, with) = (mean("article"), mean("article+teasers"));
    assert!(with > without + 0.1, "{with} {without}");
}

#[test]
fn what_a_model_has_not_learned_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let (set, model) = (toy_set(dir.path(), 12), dir.path().join("m.json"));
    let mut train = threshr();
    train.args(["train", "--features", "shallow", "--data"]).arg(&set).arg("--out").arg(&model);
    output(&mut train);
    let stderr = |policy: &str| {
        let mut command = threshr();
        command.args(["predict", "--policy", policy, "--model"]).arg(&model).arg(set.join("pages/3.html"));
        String::from_utf8(command.output().expect("run").stderr).expect("UTF-8")
    };
    assert!(stderr("main+comments").contains("does not depend on these policy properties: comments"));
    assert_eq!(stderr("main"), "");
    let mut evaluate = threshr();
    evaluate.args([
        "evaluate",
        "--overlap",
        "allow",
        "--metrics",
        "token",
        "--policy",
        "main+comments",
        "--data",
    ]);
    let measured = evaluate.arg(&set).arg("--model").arg(&model).output().expect("run").stderr;
    assert!(
        String::from_utf8_lossy(&measured).contains("does not depend on these policy properties: comments")
    );
    // models that were trained with the same policy on every page cannot depend on it either
    for classifier in ["logistic", "svm", "svm-rff", "majority", "linfa-tree"] {
        let mut train = threshr();
        train.args(["train", "--force", "--features", "shallow+policy"]);
        train.args(["--classifier", classifier, "--data"]).arg(&set);
        output(train.arg("--out").arg(&model));
        assert!(
            stderr("main+comments").contains("does not depend on these policy properties: comments"),
            "{classifier}"
        );
        // the model may have used whether a block is the headline, but it has not learned when a headline
        // is content
        assert!(
            stderr("main+title").contains("does not depend on these policy properties: title"),
            "{classifier}"
        );
    }
}

#[test]
fn a_model_without_policies_that_filters_comments_says_what_it_does_not_do() {
    let stderr = |options: &[&str]| {
        let tiny = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tiny.json");
        let mut command = threshr();
        command.args(["predict", "--model", tiny]).args(options).arg(demo_page());
        String::from_utf8(command.output().expect("run").stderr).expect("UTF-8")
    };
    assert_eq!(stderr(&["--policy", "main"]), "");
    // the filter of the model implements this policy
    assert_eq!(stderr(&["--policy", "article"]), "");
    let full = stderr(&["--policy", "full"]);
    assert!(full.contains("title") && full.contains("comments"), "{full}");
    assert!(stderr(&["--comments"]).contains("does not depend on these policy properties: comments"));
    assert!(stderr(&["--no-items"]).contains("does not depend on these policy properties: items"));
    assert!(
        stderr(&["--no-comments", "--no-posts"])
            .contains("does not depend on these policy properties: posts")
    );
    // the filter of the model removes comments but not posts
    let all = stderr(&["--no-comments", "--no-posts", "--no-items"]);
    assert!(all.contains("does not depend on these policy properties: posts, items"), "{all}");
    assert!(stderr(&["--policy", "article", "--filter", "none"]).contains("does not depend"));
    assert!(stderr(&["--no-comments", "--filter", "none"]).contains("only the filter `comments`"));
    assert!(stderr(&["--no-captions"]).contains("does not depend on these policy properties: captions"));
    let mixed = stderr(&["--policy", "article+comments"]);
    assert!(mixed.contains("policy properties: comments"), "{mixed}");
    assert!(stderr(&["--policy", "main-posts-items"]).contains("posts, items"));
    // properties that were not requested are not mentioned
    assert!(!all.contains("fragments"), "{all}");
}

#[test]
fn without_comments_the_policy_of_itself_is_article_on_running_text_and_main_on_other_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    // 20 of 20 + 2n words are in a long block: 62 % with 6 short blocks, 59 % with 7
    for (num_short, expected) in [(6, "article"), (7, "main")] {
        let page = dir.path().join(format!("{num_short}.html"));
        let (long, short) = ("word ".repeat(20), "<li>two words".repeat(num_short));
        std::fs::write(&page, format!("<a href=/>a link of five words</a><p>{long}<ul>{short}</ul>"))
            .expect("written");
        let scores = |policy: &str| {
            output(threshr().args(["predict", "--format", "blocks", "--policy", policy]).arg(&page))
        };
        assert_ne!(scores("main"), scores("article"));
        assert_eq!(scores("auto-comments"), scores(expected), "{num_short}");
        assert_eq!(scores("auto"), scores("main"), "{num_short}");
    }
}

#[test]
fn a_model_is_trained_saved_and_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    let (set, model) = (toy_set(dir.path(), 30), dir.path().join("m.json"));
    let train = |out: &std::path::Path| {
        output(
            threshr()
                .args(["train", "--classifier", "gbt", "--param", "rounds=10"])
                .args(["--set-policy", "toy=full-comments", "--data"])
                .arg(&set)
                .arg("--out")
                .arg(out),
        )
    };
    train(&model);
    let again = dir.path().join("again.json");
    train(&again);
    assert!(std::fs::read(&model).expect("read") == std::fs::read(&again).expect("read"));
    let page = set.join("pages/3.html");
    let text = output(threshr().args(["predict", "--model"]).arg(&model).arg(&page));
    assert!(text.contains("Paragraph 0 of story 3") && !text.contains("Contact us"), "{text}");
    let why = output(threshr().args(["predict", "--explain=3", "--model"]).arg(&model).arg(&page));
    assert!(
        why.starts_with("3 block 3: content, score 0.9")
            && why.contains(", threshold 0.")
            && why.contains(" = "),
        "{why}"
    );
    let unknown = failure(
        threshr().args(["train", "--set-policy", "tyo=full", "--out", "x.json", "--data"]).arg(&set),
        2,
    );
    assert!(unknown.contains("tyo=full names a set that is not among --data"), "{unknown}");
    let error = failure(threshr().args(["predict", "--explain=99", "--model"]).arg(&model).arg(&page), 2);
    assert!(error.contains("no block 99"), "{error}");
    let empty = dir.path().join("empty.html");
    std::fs::write(&empty, "").expect("written");
    let error = failure(threshr().args(["predict", "--explain=0"]).arg(&empty), 2);
    assert!(error.contains("no block 0; expected a page with blocks"), "{error}");
}

#[test]
fn an_explanation_adds_up() {
    let apart = failure(threshr().args(["predict", "--explain", "0,3"]).arg(demo_page()), 2);
    assert!(apart.contains("--explain=0,3"), "{apart}");
    let late = failure(threshr().args(["predict", "--explain", "--page-seconds=1e-9"]).arg(demo_page()), 2);
    assert!(late.contains("given up after") && late.contains(".html"), "{late}");
    let all = output(threshr().args(["predict", "--explain"]).arg(demo_page()));
    let blocks = all.lines().filter(|l| l.starts_with("4565 block")).count();
    let table = output(threshr().args(["predict", "--format", "blocks"]).arg(demo_page()));
    assert_eq!(blocks, table.lines().count() - 1);
    let mut lines = all.lines();
    let head = lines.next().expect("a head");
    let number = |text: &str| text.trim_end_matches([':', ',']).parse::<f64>().expect("a number");
    let words: Vec<&str> = head.split(' ').collect();
    let at = words.iter().position(|w| *w == "value").expect("the decision value");
    let (decision, base) = (number(words[at + 1]), number(words[at + 3]));
    let moves: f64 = lines
        .take_while(|l| l.starts_with("    "))
        .map(|l| number(l.split_whitespace().next().expect("a move")))
        .sum();
    assert!((base + moves - decision).abs() < 0.05, "{base} + {moves} is not {decision}");
}
