package mutants

// restartReadRows are faults of lists and gets once the server has been restarted.
var restartReadRows = []row{
	{name: "restart-zero-empty", rule: "list/snapshot", about: `after a restart a list at "0" has no items: its cache has not been filled`,
		on: "list", state: onceRestarted(row{when: zero, answer: listed(withoutItems)})},
	{name: "restart-label-empty", rule: "list/snapshot", about: "after a restart a list by label has no items: its index has not been filled",
		on: "list", state: onceRestarted(row{when: byLabel, answer: listed(withoutItems)})},
	{name: "restart-field-ignored", rule: "list/scope", about: "after a restart field selectors are ignored by lists",
		on: "list", state: onceRestarted(row{ask: anyField})},
	{name: "restart-exact-is-present", rule: "list/exact", about: "after a restart a list at exactly N is of the present, and says N",
		on: "list", state: onceRestarted(row{when: exact, instead: sayingAsked(mostRecent)})},
	{name: "restart-not-older-behind", rule: "list/not-older-than", about: "after a restart a list that must not be older than N is of the state before it",
		on: "list", state: onceRestarted(row{when: notOlder, ask: exactlyBefore})},
	{name: "restart-token-begins-anew", rule: "list/pages", about: "after a restart a continue token from before begins the list anew",
		on: "list", state: onceRestarted(row{ask: func(c *call) { c.list.Continue = "" }})},
	{name: "restart-token-ends", rule: "list/pages", about: "after a restart a continue token from before ends the list",
		on: "list", state: onceRestarted(row{when: continued, answer: func(c *call) {
			setItems(c.got, nil)
			listOf(c.got).SetContinue("")
		}})},
	{name: "restart-token-moves-on", rule: "list/pages", about: "after a restart a continue token from before goes on at the present, without a word",
		on: "list", state: onceRestarted(row{ask: func(c *call) { c.list.Continue = atPresent(c.list.Continue) }})},
	{name: "restart-get-unknown", rule: "get/not-older-than", about: "after a restart a get at a resourceVersion from before finds nothing",
		on: "get", state: onceRestarted(row{when: not(unset), instead: refuseNotFound})},
}
