//! Dialogs that ask for consent to cookies, told by the names that their makers give them.
//!
//! They lie over a page and are no part of it; pages that were stored with them have them in the middle of their text, and
//! much of it: lists of purposes and vendors. The names of the containers are public, in the makers' documentation.

/// Longest name, in bytes.
const LONGEST: usize = 40;

/// Names of containers in lower case, without `-` and `_`; sorted. Behind the products' own, those that sites use for dialogs
/// of their own make.
const NAMES: &[&str] = &[
    "axeptiooverlay",
    "borlabscookiebox",
    "ccdiv",
    "ccpabanner",
    "ccpamodal",
    "ccwindow",
    "ckyconsentbar",
    "ckyconsentcontainer",
    "ckymodal",
    "ckyoverlay",
    "climodal",
    "cmpbox",
    "cmplzcookiebanner",
    "cmplzcookiebannercontainer",
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
    "cookiefirstroot",
    "cookielawinfobar",
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
    "cookiescriptinjected",
    "cookiesmodal",
    "cookiesnotice",
    "cookiespopup",
    "cookiewarning",
    "cybotcookiebotdialog",
    "cybotcookiebotdialogbodyunderlay",
    "didomihost",
    "didomipopup",
    "ensmodalwrapper",
    "ensnotifybanner",
    "eucookielaw",
    "evidonbanner",
    "fcconsentroot",
    "gdprbanner",
    "gdprconsent",
    "gdprcookieconsent",
    "gdprcookienotice",
    "gdprmodal",
    "gdprpopup",
    "hseucookieconfirmation",
    "iubendacsbanner",
    "klaro",
    "moovegdprcookieinfobar",
    "moovegdprcookiemodal",
    "onetrustbannersdk",
    "onetrustconsentsdk",
    "onetrustpcsdk",
    "osanocmwindow",
    "qccmp2container",
    "qccmp2ui",
    "tarteaucitronroot",
    "termlycodesnippetsupport",
    "trusteconsenttrack",
    "trusteoverlay",
    "usercentricscmpui",
    "usercentricsroot",
];

/// Which two letters a known name begins with.
static BEGINS: [bool; 26 * 26] = {
    let mut begins = [false; 26 * 26];
    let mut i = 0;
    while i < NAMES.len() {
        let name = NAMES[i].as_bytes();
        if let Some(at) = pair(name[0], name[1]) {
            begins[at] = true;
        }
        i += 1;
    }
    begins
};

/// Place of two letters in [`BEGINS`].
const fn pair(first: u8, second: u8) -> Option<usize> {
    if !first.is_ascii_alphabetic() || !second.is_ascii_alphabetic() {
        return None;
    }
    let (first, second) = (first.to_ascii_lowercase() - b'a', second.to_ascii_lowercase() - b'a');
    Some(first as usize * 26 + second as usize)
}

/// Whether an element of this `id`, or with this `class`, is such a dialog; of several names the first one tells.
pub(super) fn is_dialog(names: &str) -> bool {
    let bytes = names.trim_ascii_start().as_bytes();
    // most names end here
    let may_be = match *bytes {
        [first, second, ..] => {
            matches!(second, b'-' | b'_') || pair(first, second).is_some_and(|at| BEGINS[at])
        }
        _ => false,
    };
    may_be && is_name(bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default())
}

fn is_name(name: &[u8]) -> bool {
    let mut key = [0; LONGEST];
    let mut len = 0;
    for byte in name.iter().filter(|b| !b"-_".contains(b)) {
        let Some(place) = key.get_mut(len) else { return false };
        *place = byte.to_ascii_lowercase();
        len += 1;
    }
    NAMES.binary_search_by(|known| known.as_bytes().cmp(&key[..len])).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_as_sites_write_it() {
        assert!(NAMES.is_sorted() && NAMES.iter().all(|name| name.len() <= LONGEST));
        assert!(NAMES.iter().all(|name| is_dialog(name)));
        for known in
            ["onetrust-consent-sdk", "CybotCookiebotDialog", " cky-consent-container box", "Cookie_Notice"]
        {
            assert!(is_dialog(known), "{known}");
        }
        for other in
            ["", "cookie", "cookie-policy", "cookies-recipe", "content", "consent-form", "cc", "klaro2", "é"]
        {
            assert!(!is_dialog(other), "{other}");
        }
        assert!(!is_dialog(&"cookie-".repeat(40)));
    }
}
