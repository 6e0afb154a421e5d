//! `--policy`, and a switch for every property: `--comments`, `--no-comments`.

use super::remark;
use crate::error::Result;
use crate::filter::FilterChoice;
use crate::pipeline::Pipeline;
use crate::policy::{PROPERTIES, PolicyChoice, Property, READERS};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// What the model is to count as content.
#[derive(Debug, Clone, Default)]
pub struct PolicyArgs {
    policy: Option<String>,
    switches: Vec<(&'static Property, bool)>,
}

const HEADING: &str = "Policy";

impl PolicyArgs {
    /// Whether anything is asked for.
    pub fn is_given(&self) -> bool {
        self.policy.is_some() || !self.switches.is_empty()
    }

    /// What `--policy` alone asks for.
    pub fn named(policy: &str) -> Self {
        Self { policy: Some(policy.to_owned()), switches: Vec::new() }
    }

    /// What is asked for; switches alone change what the model has for its default. Says which of it neither the model nor the filter
    /// that follows looks at.
    ///
    /// # Errors
    /// For names that there are not.
    pub fn choice(&self, model: &Pipeline, filter: FilterChoice) -> Result<Option<PolicyChoice>> {
        if !self.is_given() {
            return Ok(None);
        }
        let default = model.recipe().policy.default;
        let named = self.policy.as_deref().map_or(Ok(default), PolicyChoice::parse)?;
        let choice = self.switches.iter().fold(named, |choice, &(property, on)| choice.with(property, on));
        let is_nothing =
            |s: &&(&Property, bool)| s.0.name == "comments" && !s.1 && named.with(s.0, false) == named;
        if let (Some(_), PolicyChoice::Always(policy)) = (self.switches.iter().find(is_nothing), choice)
            && filter.has("comments")
            && !choice.left_out(policy).comments
        {
            remark(
                "this policy has no comments without --no-comments, but posts or items, so that the filter `comments` does nothing; \
                 with --policy auto it looks for them on pages of running text",
            );
        }
        // what differs from the default on some page
        let differs = |p: &Property| {
            let on = |choice: PolicyChoice, is_text| choice.of_page(|| is_text).has(p);
            [false, true].into_iter().any(|is_text| on(choice, is_text) != on(default, is_text))
        };
        // what the filter does is done, whatever the model has learned
        let leaves_out = |choice: PolicyChoice, is_text| choice.left_out(choice.of_page(|| is_text)).comments;
        let is_filtering = filter.has("comments")
            && [false, true]
                .into_iter()
                .any(|is_text| leaves_out(choice, is_text) != leaves_out(default, is_text));
        let is_in_name = |p: &Property| self.policy.as_deref().is_some_and(|text| text.contains(p.name));
        let is_switched = |p: &Property| is_in_name(p) || self.switches.iter().any(|s| s.0.name == p.name);
        // it drops no posts and items, and asks for all three to be unwanted
        let is_filtered = |p: &Property| {
            let as_readers =
                is_filtering && READERS.contains(&p.name) && (p.name == "comments" || !is_switched(p));
            as_readers || p.name == "headings" && filter.has("headings")
        };
        let mut unheeded = model.unheeded_properties();
        unheeded.retain(|p| !is_filtered(p));
        let (without, with): (Vec<&Property>, Vec<&Property>) =
            PROPERTIES.iter().filter(|p| differs(p)).partition(|p| unheeded.iter().any(|u| u.name == p.name));
        // what a name stands for is asked for where nothing else of it is left
        let is_all_lost = with.is_empty() && self.policy.is_some();
        let mut lost: Vec<&str> =
            without.iter().filter(|p| is_all_lost || is_switched(p)).map(|p| p.name).collect();
        // without comments `auto` is another policy on some pages
        if lost.is_empty() && with.is_empty() && !without.is_empty() {
            lost = unheeded.iter().filter(|p| is_switched(p)).map(|p| p.name).collect();
        }
        if lost.contains(&"headings") && model.filter().has("headings") {
            lost.retain(|name| *name != "headings");
            remark("this model leaves headings to the filter `headings`, which is not among those asked for");
        }
        if !lost.is_empty() {
            remark(&format!("this model has not learned what to do with {} of a policy", lost.join(", ")));
        }
        Ok(Some(choice))
    }
}

impl FromArgMatches for PolicyArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let mut args = Self::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        self.policy = matches.get_one("policy").cloned();
        let is_on = |name: &str| matches.get_flag(name);
        let switch = |p: &'static Property| match (is_on(p.name), is_on(&negated(p))) {
            (false, false) => None,
            (on, _) => Some((p, on)),
        };
        self.switches = PROPERTIES.iter().filter_map(switch).collect();
        Ok(())
    }
}

impl Args for PolicyArgs {
    fn augment_args(command: Command) -> Command {
        let policy = Arg::new("policy").long("policy").value_name("POLICY").help_heading(HEADING).help(
            "What is to count as content: main, article, full, with switches such as main+comments-title; or auto, \
             main, but article on pages of running text where comments are switched off [default: the model's]",
        );
        PROPERTIES.iter().fold(command.arg(policy.conflicts_with("system")), |command, property| {
            let flag = |name: String| {
                Arg::new(name.clone())
                    .long(name)
                    .action(ArgAction::SetTrue)
                    .help_heading(HEADING)
                    .conflicts_with("system")
            };
            let help =
                format!("Count {} whatever the policy; --{}: do not", property.definition, negated(property));
            let on = flag(property.name.to_owned()).help(help);
            let off = flag(negated(property)).hide(true).overrides_with(property.name);
            command.arg(on).arg(off)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn negated(property: &Property) -> String {
    format!("no-{}", property.name)
}
