//! Dialogs that ask for consent to cookies, and what tools put beside headings and code, told by the names
//! of their containers.
//!
//! Dialogs lie over a page and are no part of it; pages that were stored with them have them in the middle
//! of their text, and much of it: lists of purposes and vendors.

use crate::tag::Tag;
use crate::text::name_words;
use crate::text::prefix_filter::PrefixFilter;
use crate::text::swar::packed;

/// Whose name a dialog has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// That of a product, which nothing else has.
    Product,
    /// One that sites give to dialogs of their own, and to texts about cookies.
    Site,
    /// One made of words, where one of these tags is to be pressed in it; see [`likely`].
    Likely(&'static [Tag]),
    /// None, but no part of the text either where it says nothing more than that.
    Mark(Says),
}

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Anything: links to editors and sources.
    Anything,
    /// A sign: links from headings to themselves, which on some sites are the heading.
    Sign,
    /// Numbers of lines beside code.
    Numbers,
}

/// Words for what is asked, each as [`crate::visibility::attribute_scan`] finds them.
const ASKED: [&str; 4] = ["cookie", "consent", "gdpr", "ccpa"];

/// Words for what asks, and nothing else.
const ASKS: [&str; 16] = [
    "banner",
    "bar",
    "infobar",
    "notice",
    "popup",
    "modal",
    "dialog",
    "overlay",
    "alert",
    "warning",
    "prompt",
    "tooltip",
    "disclaimer",
    "toast",
    "notification",
    "message",
];

/// Words for what may hold anything.
const HOLDS: [&str; 9] =
    ["layer", "window", "wrapper", "container", "kontener", "holder", "root", "law", "box"];

/// What systems write before the names that an author gave to what a page is about.
const ABOUT: [&str; 4] = ["tag-", "category-", "cat-", "post-"];

/// What has to stand in an element of this `id`, or with this `class`, to be pressed, if it may be a dialog
/// by a name made of a word for what is asked and a word for what asks (`uhf-cookie-alert`), which cakes
/// have as well.
pub(crate) fn likely(names: &str) -> Option<&'static [Tag]> {
    let named =
        names.split_ascii_whitespace().filter(|name| !ABOUT.iter().any(|about| name.starts_with(about)));
    named.filter_map(likely_name).max_by_key(|pressed| pressed.len())
}

fn likely_name(name: &str) -> Option<&'static [Tag]> {
    let (mut is_asked, mut asks, mut holds) = (false, false, false);
    name_words::for_each(name, char::is_alphanumeric, |word| {
        let mut look = |part: &str| {
            asks |= ASKS.contains(&part);
            holds |= HOLDS.contains(&part);
        };
        look(word);
        // words that are written together with what is asked stand by themselves, too
        for (before, behind) in ASKED.iter().filter_map(|asked| word.split_once(asked)) {
            is_asked = true;
            [before, behind, behind.trim_start_matches('s')].into_iter().for_each(&mut look);
        }
    });
    match (is_asked, asks, holds) {
        (true, true, _) => Some(&[Tag::BUTTON, Tag::INPUT, Tag::A]),
        (true, false, true) => Some(&[Tag::BUTTON, Tag::INPUT]),
        _ => None,
    }
}

/// Names of products' containers, as their makers document them, in lower case without `-` and `_`; sorted.
const PRODUCTS: [&str; 41] = [
    "axeptiooverlay",
    "borlabscookiebox",
    "cccmodule",
    "cccnotify",
    "ckyconsentbar",
    "ckyconsentcontainer",
    "ckymodal",
    "ckyoverlay",
    "cmplzcookiebanner",
    "cmplzcookiebannercontainer",
    "cookiefirstroot",
    "cookielawinfobar",
    "cookiescriptinjected",
    "cybotcookiebotdialog",
    "cybotcookiebotdialogbodyunderlay",
    "didomihost",
    "didomipopup",
    "ensmodalwrapper",
    "ensnotifybanner",
    "evidonbanner",
    "fcconsentroot",
    "fidesbannercontainer",
    "fidesoverlaywrapper",
    "gdprcookieconsent",
    "hseucookieconfirmation",
    "iubendacsbanner",
    "moovegdprcookieinfobar",
    "moovegdprcookiemodal",
    "onetrustbannersdk",
    "onetrustconsentsdk",
    "onetrustpcsdk",
    "osanocmwindow",
    "qccmp2container",
    "qccmp2ui",
    "spccwrapper",
    "tarteaucitronroot",
    "termlycodesnippetsupport",
    "trusteconsenttrack",
    "trusteoverlay",
    "usercentricscmpui",
    "usercentricsroot",
];

/// Names that sites give, in the same form; sorted.
const SITES: [&str; 42] = [
    "ccpabanner",
    "ccpamodal",
    "ccwindow",
    "climodal",
    "cmpbox",
    "consentbanner",
    "consentblackbar",
    "consentdialog",
    "consentmodal",
    "consentoverlay",
    "consentpopup",
    "cookiealert",
    "cookiebanner",
    "cookiebar",
    "cookieconsent",
    "cookieconsentbanner",
    "cookieconsentbar",
    "cookieconsentcontainer",
    "cookieconsentmodal",
    "cookieconsentpopup",
    "cookiedialog",
    "cookiemessage",
    "cookiemodal",
    "cookienotice",
    "cookienoticecontainer",
    "cookienotification",
    "cookieoverlay",
    "cookiepopup",
    "cookieprefpopup",
    "cookieprompt",
    "cookiesbanner",
    "cookiesmodal",
    "cookiesnotice",
    "cookiespopup",
    "cookiewarning",
    "eucookielaw",
    "gdprbanner",
    "gdprconsent",
    "gdprcookienotice",
    "gdprmodal",
    "gdprpopup",
    "klaro",
];

/// Names of marks, as the tools that make them document them, in the same form; sorted.
const MARKS: [&str; 11] = [
    "anchorjslink",
    "docanchor",
    "hashlink",
    "headeranchor",
    "headerlink",
    "hljslnnumbers",
    "linenodiv",
    "linenos",
    "mweditsection",
    "rougegutter",
    "viewcodelink",
];

/// What they say, in the same order.
const SAY: [Says; MARKS.len()] = {
    use Says::{Anything, Numbers, Sign};
    [Sign, Sign, Sign, Sign, Sign, Numbers, Numbers, Numbers, Anything, Numbers, Anything]
};

/// The first letters of each name, as [`first_letters`] has them.
static PRODUCTS_FIRST: [u64; PRODUCTS.len()] = first_eight(&PRODUCTS);
static SITES_FIRST: [u64; SITES.len()] = first_eight(&SITES);
static MARKS_FIRST: [u64; MARKS.len()] = first_eight(&MARKS);

const fn first_eight<const N: usize>(names: &[&str; N]) -> [u64; N] {
    let mut first = [0; N];
    let mut i = 0;
    while i < N {
        first[i] = packed(names[i].as_bytes()).swap_bytes();
        i += 1;
    }
    first
}

/// What known names begin with.
static BEGINS: PrefixFilter = PrefixFilter::of(&[&PRODUCTS, &SITES, &MARKS]);

/// Which dialog an element of this `id`, or with this `class`, may be; of several names the first one tells.
pub(crate) fn dialog(names: &str) -> Option<Dialog> {
    let names = names.trim_ascii_start().trim_start_matches(['-', '_']).as_bytes();
    // most names end here
    let may_be = match *names {
        [first, second, ..] => matches!(second, b'-' | b'_') || BEGINS.has(first, second),
        _ => false,
    };
    if may_be { known(names.split(u8::is_ascii_whitespace).next()?) } else { None }
}

fn known(name: &[u8]) -> Option<Dialog> {
    let first = first_letters(name);
    let place = |names: &[&str], begins: &[u64]| {
        let from = begins.partition_point(|&begin| begin < first);
        let mut alike = (from..names.len()).take_while(|&i| begins[i] == first);
        alike.find(|&i| names[i].bytes().eq(letters(name)))
    };
    if place(&PRODUCTS, &PRODUCTS_FIRST).is_some() {
        Some(Dialog::Product)
    } else if let Some(at) = place(&MARKS, &MARKS_FIRST) {
        Some(Dialog::Mark(SAY[at]))
    } else {
        place(&SITES, &SITES_FIRST).map(|_| Dialog::Site)
    }
}

/// A name's letters, in lower case without `-` and `_`.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().filter(|b| !b"-_".contains(b)).map(u8::to_ascii_lowercase)
}

/// The first eight letters of a name as one number, the first highest, so that numbers are sorted as names
/// are; 0 after the last.
fn first_letters(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(letters(name)).for_each(|(to, letter)| *to = letter);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_words() {
        for name in
            ["uhf-cookie-alert", "x js-CookieNotice", "gdprPopup", "my_cookies_banner", "jscookienotice x"]
        {
            assert_eq!(likely(name).map(<[Tag]>::len), Some(3), "{name}");
        }
        for name in ["wp-consent-root", "cookie-box", "cookie_tooltip_kontener cookieBarBody"] {
            assert!(likely(name).is_some(), "{name}");
        }
        assert_eq!(likely("wp-consent-root").map(<[Tag]>::len), Some(2));
        for name in [
            "lemon-cookie-bars",
            "tag-cookie-notice",
            "cookie-recipes",
            "comment-form-cookies-consent",
            "alert",
        ] {
            assert_eq!(likely(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_is_found_as_sites_write_it() {
        for (list, whose) in [(&PRODUCTS[..], Dialog::Product), (&SITES[..], Dialog::Site)] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|name| dialog(name) == Some(whose)));
        }
        assert!(MARKS.is_sorted());
        assert!(MARKS.iter().zip(SAY).all(|(name, says)| dialog(name) == Some(Dialog::Mark(says))));
        assert_eq!(dialog("mw-editsection"), Some(Dialog::Mark(Says::Anything)));
        for product in
            ["onetrust-consent-sdk", "CybotCookiebotDialog", " cky-consent-container box", "_evidon_banner"]
        {
            assert_eq!(dialog(product), Some(Dialog::Product), "{product}");
        }
        assert_eq!(dialog("Cookie_Notice"), Some(Dialog::Site));
        for other in [
            "",
            "-",
            "box cookie-banner",
            "cookie",
            "cookie-policy",
            "cookies-recipe",
            "content",
            "consent-form",
            "klaro2",
            "é",
        ] {
            assert_eq!(dialog(other), None, "{other}");
        }
        assert_eq!(dialog("klar"), None);
        assert_eq!(dialog(&"cookie-".repeat(40)), None);
    }
}
