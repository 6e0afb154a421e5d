//! `--policy`, and two options for every property that override the policy, such as `--comments` and
//! `--no-comments`.

use crate::remark;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use threshr_core::Result;
use threshr_core::policy::{PROPERTIES, Policy, PolicyChoice, Property, READERS, property};
use threshr_extract::Model;
use threshr_extract::filters::FilterChoice;

/// Options that select a policy, which determines what counts as content.
#[derive(Debug, Clone, Default)]
pub(super) struct PolicyArgs {
    policy: Option<String>,
    overrides: Vec<(&'static Property, bool)>,
}

const HEADING: &str = "Policy";

impl PolicyArgs {
    /// Returns whether any of these options is given.
    pub(super) fn is_given(&self) -> bool {
        self.policy.is_some() || !self.overrides.is_empty()
    }

    /// Returns whether any of these options is given that only affects models. `--no-title` also affects the output.
    pub(super) fn is_of_models(&self) -> bool {
        self.policy.is_some() || self.overrides.iter().any(|(p, on)| *on || p.name != "title")
    }

    /// Returns whether an option such as `--no-title` leaves out a property.
    pub(super) fn leaves_out(&self, property: &str) -> bool {
        self.overrides.iter().any(|(p, on)| p.name == property && !on)
    }

    /// Creates the arguments for `--policy` without overrides.
    pub(super) fn named(policy: &str) -> Self {
        Self { policy: Some(policy.to_owned()), overrides: Vec::new() }
    }

    /// Returns the requested policy. If `--policy` is not given, the overrides change the default policy of
    /// the model. Prints a warning for properties that affect neither the model nor the filter after it.
    ///
    /// # Errors
    /// If a name is unknown.
    pub(super) fn choice(&self, model: &Model, filter: FilterChoice) -> Result<Option<PolicyChoice>> {
        if !self.is_given() {
            return Ok(None);
        }
        let default = model.recipe().policy.default;
        let named = self.policy.as_deref().map_or(Ok(default), PolicyChoice::parse)?;
        let choice = self.overrides.iter().fold(named, |choice, &(property, on)| choice.with(property, on));
        let ineffective = self.ineffective(choice, model, filter);
        let is_off = |p: &Property| of_pages(choice).iter().all(|policy| !policy.has(p));
        let is_done_by_filter = |p: &Property| is_off(p) && model.filter().has(p.name) && !filter.has(p.name);
        let (filtered, unused): (Vec<&Property>, Vec<&Property>) =
            ineffective.iter().partition(|p| is_done_by_filter(p));
        for name in filtered.iter().map(|p| p.name) {
            remark(&format!(
                "excluding {name} has no effect: with this model, only the filter `{name}` excludes it, and --filter does not contain this filter"
            ));
        }
        if !unused.is_empty() {
            let names: Vec<&str> = unused.iter().map(|p| p.name).collect();
            remark(&format!("this model does not depend on these policy properties: {}", names.join(", ")));
        }
        if self.is_already_off(choice, filter) {
            remark(
                "this policy already excludes comments; to drop the comments after a line such as `5 comments` \
                 on pages of running text, use --policy auto --no-comments",
            );
        }
        Ok(Some(choice))
    }

    /// Returns whether a property is overridden, either in `--policy` or by the option of the property.
    fn overrides(&self, property: &Property) -> bool {
        let is_in_name = self.policy.as_deref().is_some_and(|text| text.contains(property.name));
        is_in_name || self.overrides.iter().any(|s| s.0.name == property.name)
    }

    /// Returns whether `--no-comments` is redundant. It is redundant if the policy already excludes
    /// comments but includes posts or items, so that the filter `comments` removes nothing.
    fn is_already_off(&self, choice: PolicyChoice, filter: FilterChoice) -> bool {
        let PolicyChoice::Always(policy) = choice else { return false };
        let is_redundant = |p: &Property| self.overrides(p) && !policy.has(p) && !policy.switches(p);
        filter.has("comments")
            && !choice.left_out(policy).comments
            && property("comments").is_ok_and(is_redundant)
    }

    /// Returns the requested properties that affect neither the model nor `filter`.
    fn ineffective(
        &self,
        choice: PolicyChoice,
        model: &Model,
        filter: FilterChoice,
    ) -> Vec<&'static Property> {
        let default = model.recipe().policy.default;
        // Properties that differ from the default on some page.
        let on = |choice, p: &Property| of_pages(choice).map(|policy| policy.has(p));
        let differs = |p: &Property| on(choice, p) != on(default, p);
        // The filter has an effect even if the model does not depend on the property.
        let leaves_out =
            |choice: PolicyChoice| of_pages(choice).map(|policy| choice.left_out(policy).comments);
        let is_filtering = filter.has("comments") && leaves_out(choice) != leaves_out(default);
        // The filter removes only comments, and only if posts and items are excluded as well.
        let is_filtered = |p: &Property| {
            let as_readers =
                is_filtering && READERS.contains(&p.name) && (p.name == "comments" || !self.overrides(p));
            as_readers || filter.drops(p)
        };
        let unused = model.unused_properties();
        let has_no_effect = |p: &Property| unused.iter().any(|u| u.name == p.name) && !is_filtered(p);
        let found: Vec<&Property> =
            PROPERTIES.iter().filter(|p| self.overrides(p) && has_no_effect(p)).collect();
        let differing = || PROPERTIES.iter().filter(|p| p.is_learned && differs(p));
        // A named policy is reported only if none of its properties has an effect.
        match found.is_empty() && self.policy.is_some() && differing().all(has_no_effect) {
            true => differing().collect(),
            false => found,
        }
    }
}

/// Returns the policy for pages that are not running text, and the policy for pages of running text.
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
        let override_of = |p: &'static Property| match (is_on(p.name), is_on(&negated(p))) {
            (false, false) => None,
            (on, _) => Some((p, on)),
        };
        self.overrides = PROPERTIES.iter().filter_map(override_of).collect();
        Ok(())
    }
}

impl Args for PolicyArgs {
    fn augment_args(command: Command) -> Command {
        let policy = Arg::new("policy").long("policy").value_name("POLICY").help_heading(HEADING).help(
            "What counts as content: main, article, full, with overrides such as main+title-headings; or auto: main, \
             but article on pages of running text if comments are excluded [default: the model's]",
        );
        // Commands without systems do not have this argument.
        let has_systems = command.get_arguments().any(|arg| arg.get_id() == "system");
        let without_system = move |arg: Arg| if has_systems { arg.conflicts_with("system") } else { arg };
        PROPERTIES.iter().fold(command.arg(without_system(policy)), |command, property| {
            let flag = |name: String| {
                Arg::new(name.clone()).long(name).action(ArgAction::SetTrue).help_heading(HEADING)
            };
            // `--no-title` also excludes the title before Markdown and HTML, which the output of systems has as well.
            let is_title = property.name == "title";
            let more = if is_title { " and the title before Markdown and HTML" } else { "" };
            let help = format!(
                "Include {}, whatever the policy; --{} excludes it{more}",
                property.definition,
                negated(property)
            );
            let on = without_system(flag(property.name.to_owned()).help(help));
            let off = flag(negated(property)).hide(true).overrides_with(property.name);
            command.arg(on).arg(if is_title { off } else { without_system(off) })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn negated(property: &Property) -> String {
    format!("no-{}", property.name)
}
