//! Reads the file format of the html5lib tree-construction tests.

/// A case of the suite.
#[derive(Debug, Default)]
pub(super) struct Case {
    /// The page.
    pub data: String,
    /// Whether the page is parsed as the content of an element.
    pub is_fragment: bool,
    /// Whether scripting is on. `None` means that the case applies to both modes.
    pub scripting: Option<bool>,
    /// The lines of the expected tree, without the two characters `| ` before each node.
    pub tree: Vec<ExpectedLine>,
}

/// A node, an attribute or the word `content` of an expected tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpectedLine {
    /// Number of ancestors below the document.
    pub depth: usize,
    /// The line without indentation. Text contains its line ends.
    pub text: String,
}

impl ExpectedLine {
    fn read(line: &str) -> Self {
        let text = line.trim_start_matches(' ');
        // the indentation is unambiguous, because text is inside quotes
        ExpectedLine { depth: (line.len() - text.len()) / 2, text: text.to_owned() }
    }
}

/// Returns the cases of a file. Lists of parse errors are not read.
pub(super) fn read(file: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut section = "#document";
    let mut after_blank = true;
    for line in file.split('\n') {
        if line == "#data" && section == "#document" && after_blank {
            section = line;
            cases.push(Case::default());
            continue;
        }
        after_blank = line.is_empty();
        let Some(case) = cases.last_mut() else { continue };
        match (section, line) {
            ("#data", "#errors") => section = line,
            ("#data", _) => {
                case.data.push_str(line);
                case.data.push('\n');
            }
            ("#document", _) => match (line.strip_prefix("| "), case.tree.last_mut()) {
                (Some(node), _) => case.tree.push(ExpectedLine::read(node)),
                (None, Some(last)) => {
                    last.text.push('\n');
                    last.text.push_str(line);
                }
                (None, None) => {}
            },
            (_, "#script-on") => case.scripting = Some(true),
            (_, "#script-off") => case.scripting = Some(false),
            (_, "#document-fragment") => case.is_fragment = true,
            (_, "#document") => section = line,
            // skips errors, and the name of the context element of a fragment
            _ => {}
        }
    }
    for case in &mut cases {
        case.data.pop();
        // the blank line between cases
        if let Some(last) = case.tree.last_mut() {
            last.text.truncate(last.text.trim_end_matches('\n').len());
        }
    }
    cases
}

#[test]
fn reads_cases() {
    let file = "#data\na\n\n#errors\n1: x\n#script-on\n#document\n| <b>\n|   \"c\n\n d\"\n\n#data\n#errors\n\
        #document-fragment\ntd\n#document\n| <e>\n";
    let cases = read(file);
    assert_eq!(cases.len(), 2);
    assert_eq!(
        (cases[0].data.as_str(), cases[0].scripting, cases[0].is_fragment),
        ("a\n", Some(true), false)
    );
    let line = |depth, text: &str| ExpectedLine { depth, text: text.to_owned() };
    assert_eq!(cases[0].tree, [line(0, "<b>"), line(1, "\"c\n\n d\"")]);
    assert_eq!((cases[1].data.as_str(), cases[1].scripting, cases[1].is_fragment), ("", None, true));
    assert_eq!(cases[1].tree, [line(0, "<e>")]);
}
