package watchcache_test

// behind are the mutants of which another rule is printed first, by that rule: what they lose, refuse or answer breaks both, and no order of the two
// suits more mutants.
var behind = map[string][]string{
	"watchcache/cache/lag":             {"lag-delete-finalizers-by-cache"},
	"watchcache/list/answered":         {"exact-gone-unimplemented", "exact-refused"},
	"watchcache/list/future":           {"exact-next-made-up"},
	"watchcache/list/snapshot":         {"answer-reread-merge", "continue-zero-restarts", "dry-strategic-stored", "exact-field-everywhere", "exact-label-everywhere", "rest-lacks-last", "restart-exact-is-present", "restart-token-begins-anew", "restart-token-ends", "status-dry-run-stored"},
	"watchcache/watch/expired":         {"window-gap"},
	"watchcache/watch/from-list":       {"informers-silent", "lost-created", "lost-deleted", "lost-modified"},
	"watchcache/watch/reliable":        {"bookmarked-label-silent", "bookmarked-name-silent", "off-label-silent", "restart-stream-empty", "unset-opens-with-gap", "unset-then-gap", "watch-double-equals-silent", "watch-empty-value-lost", "watch-empty-value-lost-of-streams", "watch-first-value", "watch-prefixed-key-silent", "watch-prefixed-key-silent-of-streams", "zero-opens-with-gap", "zero-then-gap"},
	"watchcache/watch/scope/namespace": {"unsent-past-keeps-0", "unsent-past-keeps-10", "unsent-stream-keeps-0", "unsent-stream-keeps-10", "unsent-stream-renewed-once"},
	"watchcache/watch/slow":            {"change-lost-at-100-of-streams", "change-lost-at-100-to-informers", "change-lost-at-500", "change-lost-at-500-of-streams", "change-lost-at-500-to-informers", "lost-late-of-streams", "lost-late-to-informers", "slow-merges-changes", "slow-merges-lives", "slow-merges-recreations"},
	"watchcache/write/conflict/delete": {"delete-uid-conflict-without-reason", "delete-uid-unallowed"},
	"watchcache/write/conflict/test":   {"patch-version-races-json"},
	"watchcache/write/finalizers":      {"deleting-unstreamed"},
	"watchcache/write/response":        {"version-goes-back"},
}
