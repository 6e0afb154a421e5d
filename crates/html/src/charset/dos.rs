//! DOS code pages, which the Encoding Standard does not contain.

/// The characters for the bytes 0x80 to 0xff in code page 437. Source: Unicode Consortium, CP437.TXT.
pub(super) const CP437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
    áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}\
";

/// The characters for the bytes 0x80 to 0xff in code page 850. Source: Unicode Consortium, CP850.TXT.
pub(super) const CP850: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}\
";

/// Decodes bytes. `high` contains the characters for the bytes 0x80 to 0xff.
pub(super) fn decode(bytes: &[u8], high: &str) -> String {
    let high: Vec<char> = high.chars().collect();
    let char = |&byte: &u8| match byte.checked_sub(0x80) {
        Some(at) => high.get(usize::from(at)).copied().unwrap_or('\u{fffd}'),
        None => char::from(byte),
    };
    bytes.iter().map(char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_complete() {
        for table in [CP437, CP850] {
            assert_eq!(table.chars().count(), 128);
            let mut chars: Vec<char> = table.chars().collect();
            chars.sort_unstable();
            chars.dedup();
            assert_eq!(chars.len(), 128);
        }
        assert_eq!(decode(b"r\x82sum\x82 \x81\xe1", CP850), "résumé üß");
        assert_eq!(decode(b"\xe1 \xf6", CP437), "ß ÷");
    }
}
