//! Tips for command lines that cannot be parsed: the command or option that was probably meant.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// Subcommand names of other programs, and the equivalent commands of threshr.
const COMMANDS: [(&str, &str); 18] = [
    ("extract", "threshr predict PAGE"),
    ("parse", "threshr predict PAGE"),
    ("clean", "threshr predict PAGE"),
    ("text", "threshr predict PAGE"),
    ("classify", "threshr predict PAGE --format blocks"),
    ("crawl", "threshr predict CRAWL.warc.gz --out texts.jsonl"),
    ("fit", "threshr train --data SET --out FILE"),
    ("eval", "threshr evaluate --data SET"),
    ("score", "threshr evaluate --data SET"),
    ("test", "threshr evaluate --data SET"),
    ("label", "threshr annotate DIR"),
    ("convert", "threshr data convert SET --out DIR"),
    ("check", "threshr data check SET"),
    ("explain", "threshr predict PAGE --explain"),
    ("markdown", "threshr predict PAGE --format markdown"),
    ("run", "threshr predict PAGE"),
    ("url", "curl -fsSL ADDRESS | threshr predict -"),
    ("get", "curl -fsSL ADDRESS | threshr predict -"),
];
/// Option names of other programs, and the equivalent options of threshr.
const OPTIONS: [(&str, &str); 14] = [
    ("--threads", "--jobs"),
    ("--workers", "--jobs"),
    ("--max-pages", "--limit"),
    ("--head", "--limit"),
    ("--output-format", "--format"),
    ("--output-dir", "--out"),
    ("--silent", "--quiet"),
    ("--overwrite", "--force"),
    ("--include-comments", "--comments"),
    ("--exclude-comments", "--no-comments"),
    ("--no-include-comments", "--no-comments"),
    ("--encoding", "--charset"),
    ("-f", "--format"),
    ("-j", "--jobs"),
];
/// Minimum similarity between a misspelt option and the suggested option.
const MIN_SIMILARITY: f64 = 0.6;

/// Adds a tip to an error of the parser. `args` are the arguments of the process without the name of the program.
pub(super) fn add(error: &mut clap::Error, command: &Command, args: &[String]) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            text(ContextKind::InvalidSubcommand).and_then(|name| of_command(&name))
        }
        ErrorKind::UnknownArgument => {
            // Replaces all tips of the parser, such as the tip to pass the option as a value.
            let tip = text(ContextKind::InvalidArg).and_then(|given| of_option(&given, command, args));
            if tip.is_some() {
                error.remove(ContextKind::SuggestedArg);
                error.remove(ContextKind::SuggestedSubcommand);
                error.remove(ContextKind::Suggested);
                // The usage line shows the option that the parser guessed.
                error.remove(ContextKind::Usage);
            }
            tip
        }
        ErrorKind::ArgumentConflict => text(ContextKind::InvalidArg)
            // an option conflicts with itself if it is given twice
            .filter(|given| given.starts_with("--model") && text(ContextKind::PriorArg).as_ref() == Some(given))
            .filter(|_| args.iter().any(|arg| arg == "evaluate"))
            .map(|_| {
                "evaluate each model with --per-page, or see their differences: threshr diff A.json B.json SET/pages"
                    .to_owned()
            }),
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Returns the tip for an argument in the position of a subcommand.
fn of_command(name: &str) -> Option<String> {
    if threshr_io::is_address(name) {
        return Some(format!("threshr reads files: {}", threshr_io::fetch_command(name)));
    }
    if name == "render" {
        return Some(
            "`threshr-render` of the Python package renders pages; in the clone, after the wheel is built: \
             pip install \"$(ls python/dist/threshr-*.whl)[render]\""
                .to_owned(),
        );
    }
    if let Some((_, command)) = COMMANDS.iter().find(|(other, _)| *other == name) {
        return Some(format!("the command is {command}"));
    }
    let path = Path::new(name);
    let is_path = name == "-" || path.exists() || name.contains('/') || threshr_io::names::is_html(path);
    is_path.then(|| format!("a command comes first: threshr predict {name}"))
}

/// Returns the tip for an unknown option.
fn of_option(given: &str, command: &Command, args: &[String]) -> Option<String> {
    // `-model` is parsed as `-m odel`
    let is_single = |arg: &&String| arg.len() > 2 && !arg.starts_with("--") && arg.starts_with(given);
    let single = if given.len() == 2 { args.iter().find(is_single) } else { None };
    let wanted = single.map_or_else(|| given.to_owned(), |arg| format!("-{arg}"));
    let wanted = wanted.split('=').next().unwrap_or_default().to_owned();
    if wanted == "-v" {
        return Some(
            "threshr --version prints the version; threshr evaluate --verbose prints all tables".to_owned(),
        );
    }
    let is_named = |sub: &&Command| args.iter().any(|arg| arg == sub.get_name());
    let Some(of_user) = command.get_subcommands().find(is_named) else {
        let has_path = args.iter().any(|arg| !arg.starts_with('-'));
        return has_path.then(|| format!("a command comes first: threshr predict {}", args.join(" ")));
    };
    let name = sub_of(of_user, args);
    let own = longs(name).chain(longs(command).filter(|long| command_is_global(command, long)));
    let own: Vec<&str> = own.collect();
    if let Some((_, option)) = OPTIONS.iter().find(|(other, _)| *other == wanted)
        && own.contains(&&option[2..])
    {
        return Some(format!("the option is {option}"));
    }
    let word = wanted.strip_prefix("--")?;
    if own.contains(&word) {
        return Some(format!("a long option has two dashes: {wanted}"));
    }
    let formats = crate::option_names::names_of(of_user.get_name(), "format").unwrap_or_default();
    let begun =
        formats.iter().filter(|name| word.len() > 2 && name.starts_with(word)).min_by_key(|name| name.len());
    if let Some(name) = begun {
        return Some(format!("a format is chosen by --format {name}"));
    }
    let others = command.get_subcommands().filter(|sub| longs(sub).any(|long| long == word));
    let others: Vec<&str> = others.map(Command::get_name).collect();
    if !others.is_empty() {
        return Some(format!("{wanted} is an option of {}", others.join(", ")));
    }
    let similarity = |long: &str| {
        let whole = strsim::normalized_damerau_levenshtein(word, long);
        // One name is a prefix of the other.
        let is_begin = word.len().min(long.len()) > 2 && (long.starts_with(word) || word.starts_with(long));
        if is_begin { whole.max(MIN_SIMILARITY) } else { whole }
    };
    let best = own.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    Some(match similarity(best) >= MIN_SIMILARITY {
        true => format!("a similar option exists: --{best}"),
        false => format!("threshr {} --help lists the options", path_of(of_user, name)),
    })
}

/// Returns the innermost subcommand that the arguments name.
fn sub_of<'c>(command: &'c Command, args: &[String]) -> &'c Command {
    let inner = command.get_subcommands().find(|sub| args.iter().any(|arg| arg == sub.get_name()));
    inner.unwrap_or(command)
}

fn path_of(outer: &Command, inner: &Command) -> String {
    match outer.get_name() == inner.get_name() {
        true => outer.get_name().to_owned(),
        false => format!("{} {}", outer.get_name(), inner.get_name()),
    }
}

fn longs(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(clap::Arg::get_long)
}

fn command_is_global(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long) && arg.is_global_set())
}

#[cfg(test)]
mod tests {
    use crate::command;

    fn said(line: &str) -> String {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let words = std::iter::once("threshr".to_owned()).chain(args.iter().cloned());
        let mut error = command().try_get_matches_from(words).expect_err(line);
        super::add(&mut error, &command(), &args);
        error.to_string()
    }

    #[test]
    fn what_stands_in_the_place_of_a_command_is_answered() {
        for (line, tip) in [
            (
                "https://example.org/a?b='1'",
                r"curl -fsSL 'https://example.org/a?b='\''1'\''' | threshr predict - --url 'https://example.org/a?b='\''1'\'''",
            ),
            ("page.html", "threshr predict page.html"),
            ("pages/", "threshr predict pages/"),
            ("-q page.htm", "threshr predict page.htm"),
            ("extract page.html", "the command is threshr predict PAGE"),
            ("eval --data x", "threshr evaluate --data SET"),
            ("render page.html", "threshr-render"),
            ("markdown page.html", "the command is threshr predict PAGE --format markdown"),
            ("url https://a.example", "curl -fsSL ADDRESS | threshr predict -"),
            (
                "--format markdown page.html",
                "a command comes first: threshr predict --format markdown page.html",
            ),
            ("evaluat", "evaluate"),
        ] {
            assert!(said(line).contains(tip), "{line}: {}", said(line));
        }
    }

    #[test]
    fn misspelt_options_get_one_fitting_tip() {
        for (line, tip) in [
            ("predict --modell x p.html", "a similar option exists: --model"),
            ("predict --output x p.html", "a similar option exists: --out"),
            ("predict --formta=json p.html", "a similar option exists: --format"),
            ("predict -model x p.html", "a long option has two dashes: --model"),
            ("predict --json p.html", "--format jsonl"),
            ("predict --jsonl p.html", "--format jsonl"),
            ("predict --threads 3 p.html", "the option is --jobs"),
            ("predict --max-pages 3 p.html", "the option is --limit"),
            ("predict --limt 3 p.html", "a similar option exists: --limit"),
            ("predict --data x", "--data is an option of train, adapt, evaluate"),
            ("train --data x --folds 3", "--folds is an option of evaluate"),
            ("data check x --wrst 3", "a similar option exists: --worst"),
            ("predict --frobnicate p.html", "threshr predict --help"),
            ("predict --include-comments p.html", "the option is --comments"),
            ("predict --encoding utf-8 p.html", "the option is --charset"),
            ("predict -f markdown p.html", "the option is --format"),
            ("predict -v p.html", "threshr --version"),
            ("predict -filter tree p.html", "a long option has two dashes: --filter"),
            ("evaluate -versus x", "a long option has two dashes: --versus"),
            ("evaluate --data x --model a --model b", "threshr diff A.json B.json"),
        ] {
            let text = said(line);
            assert!(text.contains(tip) && text.matches("tip:").count() == 1, "{line}: {text}");
            assert!(!text.contains("as a value"), "{line}: {text}");
        }
    }
}
