//! The suffix rule for a name: a trie of lower-case suffixes, read from the end of the name.
//!
//! ```text
//!   *.gz=1  *.tar.gz=2  *z=3          root ─ z ─┬─ (rule *z)
//!                                               └─ g ─ . ─┬─ (rule *.gz)
//!   "a.TAR.GZ" walks z, g, ., r, …                        └─ r ─ a ─ t ─ . ─ (rule *.tar.gz)
//!   and keeps the latest rule it meets.
//! ```
//!
//! Most names leave the trie after one or two bytes; none allocates.

/// One `*suffix=sequence`, in the order of `LS_COLORS`.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) suffix: Box<[u8]>,
    /// `None`: names with this suffix stay plain, whatever `fi` says.
    pub(super) style: Option<Box<[u8]>>,
}

/// A node of the trie. Node 0 is the root (so 0 also means "none").
#[derive(Clone, Debug, Default)]
struct Node {
    /// The nodes below, each with its byte.
    children: Vec<(u8, u32)>,
    /// The rules that end here, which differ in case alone; the latest comes first.
    rules: Vec<u32>,
}

/// The compiled rules.
#[derive(Clone, Debug)]
pub(super) struct Suffixes {
    rules: Vec<Rule>,
    /// Whether the rule at this index needs the exact case: see [`judge_case`].
    exact: Vec<bool>,
    nodes: Vec<Node>,
    /// The root's children by byte: the step that every name takes.
    last_byte: Box<[u32; 256]>,
}

impl Suffixes {
    pub(super) fn compile(rules: Vec<Rule>) -> Suffixes {
        let count = rules.len();
        let mut suffixes = Suffixes {
            rules,
            exact: vec![false; count],
            nodes: vec![Node::default()],
            last_byte: Box::new([0; 256]),
        };
        for index in (0..count).rev() {
            let node = suffixes.node_for(index);
            suffixes.nodes[node].rules.push(index as u32);
        }
        for node in &mut suffixes.nodes {
            judge_case(&mut node.rules, &suffixes.rules, &mut suffixes.exact);
        }
        for (byte, child) in &suffixes.nodes[0].children {
            suffixes.last_byte[usize::from(*byte)] = *child;
        }
        suffixes
    }

    /// The node at which the rule's suffix ends; made if there is none.
    fn node_for(&mut self, rule: usize) -> usize {
        let mut node = 0;
        for position in (0..self.rules[rule].suffix.len()).rev() {
            let byte = self.rules[rule].suffix[position].to_ascii_lowercase();
            node = match self.child(node, byte) {
                Some(child) => child,
                None => {
                    let child = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[node].children.push((byte, child as u32));
                    child
                }
            };
        }
        node
    }

    fn child(&self, parent: usize, byte: u8) -> Option<usize> {
        let mut children = self.nodes[parent].children.iter();
        children.find(|(own, _)| *own == byte).map(|(_, child)| *child as usize)
    }

    /// The style of the latest rule whose suffix the name has. `None` if no rule matches,
    /// `Some(None)` if the rule says plain.
    pub(super) fn find(&self, name: &[u8]) -> Option<Option<&[u8]>> {
        let mut best = self.rule_at(0, name);
        let mut bytes = name.iter().rev();
        let first = bytes.next().map(|byte| byte.to_ascii_lowercase());
        let mut node = first.map_or(0, |byte| self.last_byte[usize::from(byte)] as usize);
        while node != 0 {
            best = best.max(self.rule_at(node, name));
            let Some(byte) = bytes.next() else { break };
            node = self.child(node, byte.to_ascii_lowercase()).unwrap_or(0);
        }
        best.map(|rule| self.rules[rule as usize].style.as_deref())
    }

    /// The latest rule that ends at this node and matches the name's case.
    fn rule_at(&self, node: usize, name: &[u8]) -> Option<u32> {
        self.nodes[node].rules.iter().copied().find(|&rule| {
            let index = rule as usize;
            !self.exact[index] || name.ends_with(&self.rules[index].suffix)
        })
    }

    /// The styles, for respelling.
    pub(super) fn styles_mut(&mut self) -> impl Iterator<Item = &mut Option<Box<[u8]>>> {
        self.rules.iter_mut().map(|rule| &mut rule.style)
    }
}

/// GNU's rule about case, among rules that differ in case alone (latest first). A rule ignores
/// case, unless a rule of another case has another sequence; both then need their exact case. A
/// rule that repeats a later one is dropped. Once a later rule ignores case, every other spelling
/// is dropped too.
fn judge_case(group: &mut Vec<u32>, rules: &[Rule], exact: &mut [bool]) {
    let mut kept = 0;
    while kept < group.len() {
        let latest = group[kept] as usize;
        let mut ignores_case = false;
        let mut position = kept + 1;
        while position < group.len() {
            let other = group[position] as usize;
            let repeated = rules[other].suffix == rules[latest].suffix;
            let same_style = rules[other].style == rules[latest].style;
            ignores_case |= !repeated && same_style;
            if repeated || ignores_case {
                group.remove(position);
            } else {
                exact[latest] = true;
                exact[other] = true;
                position += 1;
            }
        }
        kept += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(pairs: &[(&str, &str)]) -> Vec<Rule> {
        pairs
            .iter()
            .map(|(suffix, style)| Rule {
                suffix: suffix.as_bytes().into(),
                style: Some(style.as_bytes().into()),
            })
            .collect()
    }

    fn find(pairs: &[(&str, &str)], name: &str) -> Option<String> {
        let suffixes = Suffixes::compile(rules(pairs));
        let style = suffixes.find(name.as_bytes())?;
        style.map(|style| String::from_utf8_lossy(style).into_owned())
    }

    #[test]
    fn the_later_rule_wins_whatever_its_length() {
        let longer_later = [(".gz", "1"), (".tar.gz", "2")];
        assert_eq!(find(&longer_later, "a.tar.gz").as_deref(), Some("2"));
        assert_eq!(find(&longer_later, "a.gz").as_deref(), Some("1"));
        let shorter_later = [(".tar.gz", "2"), (".gz", "1")];
        assert_eq!(find(&shorter_later, "a.tar.gz").as_deref(), Some("1"));
    }

    #[test]
    fn any_suffix_counts_not_only_extensions() {
        let pairs = [("README", "1"), ("~", "2")];
        assert_eq!(find(&pairs, "README").as_deref(), Some("1"));
        assert_eq!(find(&pairs, "xreadme").as_deref(), Some("1"));
        assert_eq!(find(&pairs, "x~").as_deref(), Some("2"));
        assert_eq!(find(&pairs, "EADME"), None);
        assert_eq!(find(&[("", "3")], "anything").as_deref(), Some("3"));
        assert_eq!(find(&[("", "3")], "").as_deref(), Some("3"));
    }

    #[test]
    fn case_counts_only_where_sequences_differ() {
        let differ = [(".jpg", "1"), (".JPG", "2")];
        assert_eq!(find(&differ, "a.jpg").as_deref(), Some("1"));
        assert_eq!(find(&differ, "a.JPG").as_deref(), Some("2"));
        assert_eq!(find(&differ, "a.Jpg"), None);
        let same = [(".jpg", "1"), (".JPG", "1")];
        assert_eq!(find(&same, "a.Jpg").as_deref(), Some("1"));
        let repeated = [(".JPG", "1"), (".jpg", "2"), (".JPG", "2")];
        assert_eq!(find(&repeated, "a.Jpg").as_deref(), Some("2"));
    }

    /// The meaning of the trie: try every remaining rule, the latest first.
    fn naive<'a>(suffixes: &'a Suffixes, name: &[u8]) -> Option<Option<&'a [u8]>> {
        let mut live: Vec<u32> =
            suffixes.nodes.iter().flat_map(|node| node.rules.iter().copied()).collect();
        live.sort_unstable();
        let matches = |rule: &u32| {
            let suffix = &suffixes.rules[*rule as usize].suffix;
            let Some(start) = name.len().checked_sub(suffix.len()) else { return false };
            match suffixes.exact[*rule as usize] {
                true => name[start..] == **suffix,
                false => name[start..].eq_ignore_ascii_case(suffix),
            }
        };
        let rule = live.into_iter().rev().find(matches)?;
        Some(suffixes.rules[rule as usize].style.as_deref())
    }

    proptest! {
        #[test]
        fn the_trie_agrees_with_a_naive_loop(
            pairs in proptest::collection::vec(("[aAbB.]{0,4}", "[12]"), 0..12),
            names in proptest::collection::vec("[aAbB.]{0,6}", 1..12),
        ) {
            let pairs: Vec<_> =
                pairs.iter().map(|(suffix, style)| (suffix.as_str(), style.as_str())).collect();
            let suffixes = Suffixes::compile(rules(&pairs));
            for name in &names {
                prop_assert_eq!(
                    suffixes.find(name.as_bytes()),
                    naive(&suffixes, name.as_bytes()),
                    "{}", name
                );
            }
        }

        #[test]
        fn a_rule_s_own_spelling_always_finds_that_spelling_s_latest_style(
            pairs in proptest::collection::vec(("[aA]{3}", "[12]"), 1..4),
        ) {
            let borrowed: Vec<_> =
                pairs.iter().map(|(suffix, style)| (suffix.as_str(), style.as_str())).collect();
            let (suffix, style) = borrowed[borrowed.len() - 1];
            let found = find(&borrowed, suffix);
            prop_assert_eq!(found.as_deref(), Some(style));
        }
    }
}
