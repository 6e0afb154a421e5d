//! `--policy`, and a switch for every property: `--comments`, `--no-comments`.

use crate::cli::remark;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use threshr_core::Result;
use threshr_core::policy::{PROPERTIES, Policy, PolicyChoice, Property, READERS, property};
use threshr_extract::Model;
use threshr_extract::filters::FilterChoice;

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
    pub fn choice(&self, model: &Model, filter: FilterChoice) -> Result<Option<PolicyChoice>> {
        if !self.is_given() {
            return Ok(None);
        }
        let default = model.recipe().policy.default;
        let named = self.policy.as_deref().map_or(Ok(default), PolicyChoice::parse)?;
        let choice = self.switches.iter().fold(named, |choice, &(property, on)| choice.with(property, on));
        let lost = self.not_learned(choice, model, filter);
        let is_off = |p: &Property| of_pages(choice).iter().all(|policy| !policy.has(p));
        let is_left_out = |p: &Property| is_off(p) && model.filter().has(p.name) && !filter.has(p.name);
        let (left_out, lost): (Vec<&Property>, Vec<&Property>) = lost.iter().partition(|p| is_left_out(p));
        for name in left_out.iter().map(|p| p.name) {
            remark(&format!(
                "this model leaves {name} to the filter `{name}`, which is not among those asked for"
            ));
        }
        if !lost.is_empty() {
            let names: Vec<&str> = lost.iter().map(|p| p.name).collect();
            remark(&format!("this model has not learned what to do with {} of a policy", names.join(", ")));
        }
        if self.asks_for_nothing(choice, filter) {
            remark(
                "this policy counts no comments anyhow; to drop those that a line such as `5 comments` announces on pages of \
                 running text, ask for --policy auto --no-comments",
            );
        }
        Ok(Some(choice))
    }

    /// Whether a property is switched by its name.
    fn switches(&self, property: &Property) -> bool {
        let is_in_name = self.policy.as_deref().is_some_and(|text| text.contains(property.name));
        is_in_name || self.switches.iter().any(|s| s.0.name == property.name)
    }

    /// Whether comments are switched off of a policy that has none, but posts or items, so that the filter `comments` drops nothing.
    fn asks_for_nothing(&self, choice: PolicyChoice, filter: FilterChoice) -> bool {
        let PolicyChoice::Always(policy) = choice else { return false };
        let is_off_anyhow = |p: &Property| self.switches(p) && !policy.has(p) && !policy.switches(p);
        filter.has("comments")
            && !choice.left_out(policy).comments
            && property("comments").is_ok_and(is_off_anyhow)
    }

    /// What is asked for and neither the model has learned nor `filter` does.
    fn not_learned(
        &self,
        choice: PolicyChoice,
        model: &Model,
        filter: FilterChoice,
    ) -> Vec<&'static Property> {
        let default = model.recipe().policy.default;
        // what differs from the default on some page
        let on = |choice, p: &Property| of_pages(choice).map(|policy| policy.has(p));
        let differs = |p: &Property| on(choice, p) != on(default, p);
        // what the filter does is done, whatever the model has learned
        let leaves_out =
            |choice: PolicyChoice| of_pages(choice).map(|policy| choice.left_out(policy).comments);
        let is_filtering = filter.has("comments") && leaves_out(choice) != leaves_out(default);
        // it drops no posts and items, and asks for all three to be unwanted
        let is_filtered = |p: &Property| {
            let as_readers =
                is_filtering && READERS.contains(&p.name) && (p.name == "comments" || !self.switches(p));
            as_readers || filter.drops(p)
        };
        let unused = model.unused_properties();
        let is_lost = |p: &Property| unused.iter().any(|u| u.name == p.name) && !is_filtered(p);
        let lost: Vec<&Property> = PROPERTIES.iter().filter(|p| self.switches(p) && is_lost(p)).collect();
        let differing = || PROPERTIES.iter().filter(|p| differs(p));
        // what a name stands for is asked for where nothing of it is left
        match lost.is_empty() && self.policy.is_some() && differing().all(is_lost) {
            true => differing().collect(),
            false => lost,
        }
    }
}

/// The policies of a choice: of a page that is no running text, and of one that is.
fn of_pages(choice: PolicyChoice) -> [Policy; 2] {
    [false, true].map(|is_text| choice.of_page(|| is_text))
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
            "What is to count as content: main, article, full, with switches such as main+title-headings; or auto, \
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
