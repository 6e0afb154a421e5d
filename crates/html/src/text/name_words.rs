//! Splits class names and ids into words.

/// Calls `each` with the words of a name in lower case.
///
/// Words are separated by characters for which `is_part` is false. A word also begins at a capital after a
/// lower-case letter.
pub fn for_each(name: &str, is_part: impl Fn(char) -> bool, mut each: impl FnMut(&str)) {
    any(name, is_part, |word| {
        each(word);
        false
    });
}

/// Whether `wanted` returns true for one of the words that [`for_each`] reads.
pub fn any(name: &str, is_part: impl Fn(char) -> bool, mut wanted: impl FnMut(&str) -> bool) -> bool {
    let mut word = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        let boundary = !is_part(c) || (c.is_uppercase() && after_lower);
        if boundary && !word.is_empty() {
            if wanted(&word) {
                return true;
            }
            word.clear();
        }
        if is_part(c) {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    !word.is_empty() && wanted(&word)
}
