'use strict';
// The page of a report. Its address after the # says what is shown: #/, #/failures/HOW, #/matrix/KIND/broken, #/rules,
// #/result/N/RULE, #/rule/N, #/find/WORDS.
// Text that others wrote is shown as report.Plain shows it: nothing turns its order round.
const plain = (_, v) => typeof v === 'string' ? v.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd') : v;
const data = JSON.parse(document.getElementById('data').textContent, plain);
const main = document.getElementById('main'), search = document.getElementById('search'), tip = document.getElementById('tip');
const svgNS = 'http://www.w3.org/2000/svg';
const ended = { // in the order of the overview
	failed: ['✗', 'failed'], should: ['s', 'broke a SHOULD'], inconclusive: ['?', 'inconclusive'],
	known: ['k', 'known failures'], skipped: ['–', 'skipped'], passed: ['✓', 'passed'],
};
const statuses = ['every check passed, is a known failure, or was skipped', 'a check failed that is not known to fail, or a known failure passed',
	'a check was inconclusive, or nothing was tested', 'the run could not be made, or did not come to its end'];
data.results.forEach((r, i) => { r.i = i; });
for (const name of ['results', 'targets', 'checks', 'rules', 'causes']) data[name] ||= [];

// el makes an element. Attributes that are functions are listeners; children that are null are left out.
function el(tag, attrs, ...children) {
	const svg = ['svg', 'g', 'rect', 'circle', 'line', 'text', 'title'].includes(tag);
	const e = svg ? document.createElementNS(svgNS, tag) : document.createElement(tag);
	for (const [k, v] of Object.entries(attrs || {})) {
		if (typeof v === 'function') e.addEventListener(k, v);
		else if (v !== undefined && v !== null && v !== false) e.setAttribute(k, v === true ? '' : v);
	}
	e.append(...children.flat(9).filter(c => c !== null && c !== undefined && c !== ''));
	return e;
}
const link = (href, ...text) => el('a', { href }, ...text);
const targetOf = r => data.targets[r.t].name, checkOf = r => data.checks[r.c].name;
const count = (n, what) => n.toLocaleString('en') + ' ' + what + (n === 1 ? '' : 's');
const verdict = v => el('span', { class: 'verdict ' + v }, ended[v][0] + ' ' + ended[v][1]);
const open = () => data.results.filter(r => r.v === 'inconclusive' || r.v === 'failed' && !r.broken);
const failures = () => data.results.filter(r => ['failed', 'should', 'inconclusive'].includes(r.v));

function duration(micros) {
	const s = Math.abs(micros) / 1e6, sign = micros < 0 ? '-' : '';
	const of = s < 1e-3 ? [s * 1e6, 'µs'] : s < 1 ? [s * 1e3, 'ms'] : s < 120 ? [s, 's'] : s < 7200 ? [s / 60, 'min'] : [s / 3600, 'h'];
	return s === 0 ? '0' : sign + Number(of[0].toPrecision(3)) + ' ' + of[1];
}

function resultLine(r) {
	return el('li', {}, el('span', { class: 'verdict ' + r.v, 'aria-label': ended[r.v][1] }, ended[r.v][0] + ' '), link('#/result/' + r.i, checkOf(r)),
		el('span', { class: 'soft' }, ' on ' + targetOf(r) + gist(r)));
}
const gist = r => r.broken ? ': ' + r.broken.map(b => data.rules[b.r].name).slice(0, 3).join(', ') + (r.broken.length > 3 ? ' …' : '')
	: r.reason ? ': ' + r.reason.slice(0, 200) : '';

function overview() {
	const by = Object.fromEntries(Object.keys(ended).map(v => [v, data.results.filter(r => r.v === v).length]));
	return [
		el('h1', {}, data.status === 0 ? 'Nothing new is broken' : data.status === 1 ? 'Something is broken' : data.status === 2 ? 'Not proven' : 'The run did not come to its end'),
		el('p', { class: 'soft' }, 'Status ' + data.status + ': ' + statuses[data.status] + '. ' + count(data.results.length, 'check') + ' on ' + count(data.targets.length, 'target') +
			' in ' + duration(data.seconds * 1e6) + ', ' + new Date(data.started).toISOString().replace('T', ' ').slice(0, 16) + ' UTC, lwtest ' + data.version + '.'),
		el('pre', {}, ['lwtest', ...data.args].join(' ')),
		data.truncated || data.missing ? el('p', { class: 'failed' }, 'The run was cut short: ' + count(data.missing || 0, 'check') + ' without a result.') : null,
		(data.problems || []).map(p => el('p', { class: 'failed' }, p)), (data.stale || []).map(p => el('p', { class: 'failed' }, 'Known failure that no longer holds: ' + p)),
		el('ul', { class: 'tiles' }, Object.entries(ended).filter(([v]) => by[v]).map(([v, [sign, what]]) =>
			el('li', {}, link('#/failures/' + v, el('b', { class: v }, by[v].toLocaleString('en')), sign + ' ' + what)))),
		failures().length ? [el('h2', {}, 'What to look at'), data.causes.slice(0, 10).map(causeCard), data.causes.length > 10 ? link('#/failures', 'all ' + count(data.causes.length, 'cause')) : null,
			el('ul', { class: 'list' }, open().slice(0, 20).map(resultLine))] : null, summary(),
	];
}

// causeCard is a cause of failures: the rule, what its first check wanted and got, what else broke, and the checks.
function causeCard(c) {
	const r = data.results[c.results[0]], b = r.broken.find(b => b.r === c.r), f = b.bad[0], rest = c.results.slice(1);
	return el('section', { class: 'card ' + c.v }, el('h3', {}, b.level + ' ', link('#/result/' + r.i + '/' + c.r, data.rules[c.r].name), el('span', { class: 'soft' }, ' on ' + data.targets[c.t].name)),
		f ? el('dl', {}, el('dt', {}, 'want'), el('dd', { class: 'want' }, f.want), el('dt', {}, 'got'), el('dd', { class: 'got' }, f.got)) : null,
		data.rules[c.r].fix ? el('p', {}, 'Fix: ' + data.rules[c.r].fix) : null,
		c.also ? el('p', {}, 'Also breaks ', c.also.map((n, i) => [i ? ', ' : '', link('#/rule/' + n, data.rules[n].name)])) : null,
		el('p', {}, 'Seen by ', link('#/result/' + r.i + '/' + c.r, checkOf(r))), rest.length ? el('details', {}, el('summary', {}, 'and ' + count(rest.length, 'more check')), el('ul', { class: 'list' }, rest.map(n => resultLine(data.results[n])))) : null);
}

// summary has a row for each target and suite.
function summary() {
	const rows = new Map();
	for (const r of data.results) {
		const kind = checkOf(r).split('/')[0], key = r.t + ' ' + kind;
		if (!rows.has(key)) rows.set(key, { t: r.t, kind, n: {} });
		const n = rows.get(key).n;
		n[r.v] = (n[r.v] || 0) + 1;
	}
	const cols = ['passed', 'known', 'skipped', 'failed', 'should', 'inconclusive'];
	return [el('h2', {}, 'Targets'), el('div', { class: 'scroll' }, el('table', {},
		el('thead', {}, el('tr', {}, el('th', {}, 'target'), el('th', {}, 'suite'), cols.map(c => el('th', { class: 'num' }, c === 'should' ? 'SHOULD' : c)), el('th', {}, 'tested'))),
		el('tbody', {}, [...rows.values()].map(w => el('tr', {}, el('td', {}, data.targets[w.t].name), el('td', {}, link('#/matrix/' + w.kind, w.kind)),
			cols.map(c => el('td', { class: 'num ' + (w.n[c] ? c : 'zero') }, w.n[c] ? w.n[c].toLocaleString('en') : '·')), el('td', { class: 'soft' }, data.targets[w.t].plugin || ''))))))];
}

function list(v) {
	const all = v ? data.results.filter(r => r.v === v) : failures();
	const kinds = [...new Set(all.map(r => checkOf(r).split('/')[0]))];
	return [el('h1', {}, v ? 'Checks: ' + ended[v][1] : 'Failures'),
		el('p', {}, Object.keys(ended).map(o => [link('#/failures/' + o, o === v ? el('b', {}, ended[o][1]) : ended[o][1]), ' · ']), link('#/failures', 'failed or open')),
		all.length ? null : el('p', {}, 'None.'), v ? null : data.causes.map(causeCard), v ? null : el('ul', { class: 'list' }, open().map(resultLine)), !v ? null :
		kinds.map(k => [el('h2', {}, k), el('ul', { class: 'list' }, all.filter(r => checkOf(r).startsWith(k + '/')).map(resultLine))])];
}

// matrix has a row for each check of a kind and a column for each target that was tested with it.
function matrix(kind, only) {
	const kinds = [...new Set(data.checks.map(c => c.name.split('/')[0]))];
	kind = kinds.includes(kind) ? kind : kinds[0];
	if (!kind) return [el('h1', {}, 'Nothing was run')];
	const cells = new Map(data.results.filter(r => checkOf(r).startsWith(kind + '/')).map(r => [r.c + ' ' + r.t, r]));
	const cols = data.targets.map((t, i) => i).filter(t => [...cells.values()].some(r => r.t === t));
	let section = '';
	const broken = new Set([...cells.values()].filter(r => !['passed', 'skipped'].includes(r.v)).map(r => r.c));
	const rows = data.checks.map((c, i) => i).filter(i => data.checks[i].name.startsWith(kind + '/') && (!only || broken.has(i))).flatMap(i => {
		const [, part, ...rest] = data.checks[i].name.split('/');
		const head = part !== section ? [el('tr', { class: 'section' }, el('th', { colspan: cols.length + 1, scope: 'rowgroup' }, part))] : [];
		section = part;
		return [...head, el('tr', {}, el('th', { scope: 'row', title: data.checks[i].about }, rest.join('/') || part), cols.map(t => cell(cells.get(i + ' ' + t))))];
	});
	return [el('h1', {}, 'Checks by targets'), el('p', {}, kinds.map(k => [link('#/matrix/' + k + (only ? '/broken' : ''), k === kind ? el('b', {}, k) : k), ' · ']),
		link('#/matrix/' + kind + (only ? '' : '/broken'), only ? 'show all checks' : 'only what did not pass')), el('p', {},
		el('span', { class: 'soft' }, Object.entries(ended).map(([v, [sign, what]]) => [el('span', { class: v }, sign), ' ' + what + ' \u00a0 ']))),
	el('div', { class: 'matrix', tabindex: 0, role: 'region', 'aria-label': 'Results of ' + kind }, el('table', {},
		el('thead', {}, el('tr', {}, el('th', {}, kind), cols.map(t => el('th', { class: 'tall', scope: 'col', title: data.targets[t].name }, el('span', {}, data.targets[t].name))))),
		el('tbody', {}, rows)))];
}
function cell(r) {
	if (!r) return el('td', {});
	const what = checkOf(r) + ' on ' + targetOf(r) + ': ' + ended[r.v][1];
	return el('td', {}, el('a', { href: '#/result/' + r.i, class: r.v, title: what, 'aria-label': what }, ended[r.v][0]));
}

function rulesPage() {
	const kinds = [...new Set(data.rules.map(r => r.name.split('/')[0]))];
	return [el('h1', {}, 'Rules'), kinds.map(k => [el('h2', {}, k), el('div', { class: 'scroll' }, el('table', {},
		el('thead', {}, el('tr', {}, ['rule', 'level', 'passed', 'failed', 'open', 'skipped'].map((t, i) => el('th', { class: i > 1 && 'num' }, t)))),
		el('tbody', {}, data.rules.map((r, i) => [r, i]).filter(([r]) => r.name.startsWith(k + '/')).map(([r, i]) => el('tr', {}, el('td', {}, link('#/rule/' + i, r.name)), el('td', {}, r.level),
			(r.counts || []).map((n, c) => el('td', { class: 'num ' + (n ? ['passed', 'failed', 'soft', 'skipped'][c] : 'zero') }, n || '·')))))))])];
}

function clause(r) {
	return [el('p', {}, r.text || 'This lwtest does not have the rule.'), r.why ? el('p', { class: 'soft' }, 'Why: ' + r.why) : null, r.fix ? el('p', {}, 'Fix: ' + r.fix) : null,
		r.sources && r.sources.length ? el('p', { class: 'soft' }, 'Source: ', r.sources.map((s, i) => [i ? '; ' : '', /^https?:/.test(s.url || '') ? link(s.url, s.name) : s.name])) : null];
}

function rulePage(i) {
	const r = data.rules[i];
	if (!r) return lost();
	const broke = data.results.filter(x => (x.broken || []).some(b => b.r === i)), tests = data.checks.filter(c => (c.rules || []).includes(i));
	return [el('h1', {}, r.name), el('p', { class: 'soft' }, r.level + ', tested ' + count(r.tested || 0, 'time')), clause(r),
		broke.length ? [el('h2', {}, 'Broken by'), el('ul', { class: 'list' }, broke.map(resultLine))] : null,
		el('h2', {}, 'Tested by'), el('ul', { class: 'list' }, tests.map(c => {
			const of = data.results.filter(x => data.checks[x.c] === c);
			return el('li', {}, c.name + ' ', of.slice(0, 40).map(x => [el('a', { href: '#/result/' + x.i, class: x.v, title: targetOf(x) + ': ' + ended[x.v][1] }, ended[x.v][0]), ' ']));
		}))];
}

function resultPage(i, rule) {
	const r = data.results[i];
	if (!r) return lost();
	const c = data.checks[r.c], all = failures(), at = all.indexOf(r), cards = (r.broken || []).toSorted((a, b) => (b.r === rule) - (a.r === rule));
	return [el('h1', {}, c.name), el('p', {}, verdict(r.v), ' on ', el('b', {}, targetOf(r)), el('span', { class: 'soft' },
		(data.targets[r.t].plugin ? ' (' + data.targets[r.t].plugin + ')' : '') + ', ' + count(r.n, 'event') + ' in ' + duration(r.ms * 1000) + (r.virtual ? ', virtual time' : ', real time'))),
	at >= 0 ? el('p', {}, at > 0 ? link('#/result/' + all[at - 1].i, '← previous failure (k)') : null, '  ', at < all.length - 1 ? link('#/result/' + all[at + 1].i, 'next failure (j) →') : null) : null,
	c.about ? el('p', {}, c.about) : null, r.known ? el('p', { class: 'known' }, 'Known: ' + r.known) : null, r.reason ? el('p', {}, r.reason) : null,
	r.first ? el('p', { class: 'soft' }, 'At first, beside others: ' + r.first) : null, (r.idle || []).length ? el('pre', {}, r.idle.join('\n')) : null,
	r.picture ? picture(r, cards[0]) : r.broken ? el('p', { class: 'soft' }, 'There is no picture: the history was not kept (lwtest run --keep all keeps it), or cannot be read.') : null,
	cards.map(b => card(r, b)),
	r.broken ? null : (c.rules || []).map(n => [el('h3', {}, link('#/rule/' + n, data.rules[n].name)), clause(data.rules[n])]),
	r.story ? el('details', {}, el('summary', {}, 'The steps of the check'), el('pre', {}, r.story)) : null,
	r.stack ? el('details', {}, el('summary', {}, 'Stacks, or what the program printed last'), el('pre', {}, r.stack)) : null,
	r.history ? el('p', { class: 'soft' }, 'History: ' + r.history) : null];
}

function card(r, b) {
	const rule = data.rules[b.r], kind = b.after ? 'follows' : b.known ? 'known' : b.level === 'MUST' ? '' : 'should';
	return el('section', { class: 'card ' + kind }, el('h2', { style: 'margin-top:2px' }, b.level + ' ', link('#/rule/' + b.r, rule.name), el('span', { class: 'soft' }, b.after ? ' after ' + b.after : b.count > 1 ? ' ' + count(b.count, 'time') : '')),
		clause(rule), b.known ? el('p', { class: 'known' }, 'Known: ' + b.known) : null,
		b.bad.map((f, n) => el('div', {}, el('dl', {}, el('dt', {}, 'want'), el('dd', { class: 'want' }, f.want), el('dt', {}, 'got'), el('dd', { class: 'got' }, f.got),
			el('dt', {}, 'events'), el('dd', {}, f.at.map(e => [r.picture ? el('button', { click: () => goTo(e) }, '#' + e) : '#' + e, ' ']))),
		f.timeline ? el('details', { open: n === 0 && !r.picture }, el('summary', {}, 'Timeline as text'), el('pre', {}, f.timeline)) : null)),
		b.more ? el('details', {}, el('summary', {}, 'More of the same'), el('ul', { class: 'list' }, b.more.map(m => el('li', {}, m)))) : null);
}

// The picture: a lane for each actor, a column for each event. Time is written where it changes, since an hour may pass
// between two events and a thousand of them may share a moment.
const column = 24, lane = 34, top0 = 30, left0 = 22;
let goTo = () => {};
// layout gives each event its x, and returns the marks between events: the steps where they happened, and the events left out.
function layout(p, evs) {
	const marks = [], all = p.steps || [];
	let x = left0 - column, num = 0, i = 0;
	for (const e of [...evs, { num: p.total + 1 }]) {
		const out = e.num - num - 1, here = [];
		while (i < all.length && all[i].after < e.num) here.push({ step: all[i++] });
		const beside = here.filter(m => out && m.step.after === num), far = here.find(m => m.step.after > num && m.step.after < e.num - 1);
		const gap = out ? [{ step: far && far.step, from: num + 1, out }] : [];
		let at = x + 2;
		for (const m of [...beside, ...gap, ...here.filter(m => m !== far && !beside.includes(m))]) {
			const w = m.out ? 76 : m.step.count ? 54 : 20;
			marks.push({ ...m, x: at + w / 2, w });
			at += w;
		}
		x = e.x = Math.max(x + column, at + 2);
		num = e.num;
	}
	return { marks, wide: x };
}
// picture draws the history of a result, and opens where a rule was broken.
function picture(r, broken) {
	const p = r.picture, evs = p.events.map(([num, lane, phase, kind, call, at, text], col) => ({ num, lane, phase, kind, call, at, text, col }));
	const by = new Map(evs.map(e => [e.num, e])), { marks, wide } = layout(p, evs), high = top0 + p.lanes.length * lane;
	const x = e => e.x, y = e => top0 + e.lane * lane + lane / 2;
	const hits = new Set(), causes = new Set();
	for (const b of r.broken || []) for (const f of b.bad) f.at.forEach((n, i) => (i === f.at.length - 1 ? hits : causes).add(n));
	const first = evs.find(e => e.num === broken?.bad[0]?.at.at(-1)) || evs.find(e => hits.has(e.num)) || evs.at(-1);
	const svg = el('svg', { width: wide, height: high + 34, role: 'img', 'aria-label': 'Timeline of ' + count(evs.length, 'event') + ' of ' + p.lanes.join(', ') + '. The events are also in the list below it.' });
	p.lanes.forEach((_, i) => svg.append(el('rect', { class: i % 2 ? '' : 'lane', x: 0, y: top0 + i * lane, width: wide, height: lane, 'fill-opacity': i % 2 ? 0 : 1 })));
	for (const e of evs) if (hits.has(e.num) || causes.has(e.num)) svg.append(el('rect', { class: 'band ' + (hits.has(e.num) ? 'hit' : 'cause'), x: x(e) - column / 2, y: 20, width: column, height: high - 20 }));
	const cursor = svg.appendChild(el('rect', { class: 'band cursor', y: 20, width: column, height: high - 20, visibility: 'hidden' }));
	between(svg, marks, high);
	bars(svg, evs, x, y);
	times(svg, evs, x, high);
	for (const e of evs) {
		svg.append(mark(e, x(e), y(e), hits.has(e.num)));
		if (e.kind === 'FAULT') svg.append(hover(el('g', {}, el('circle', { class: 'faultdot', cx: e.x, cy: 10, r: 8 }), el('text', { class: 'stepnum', x: e.x, y: 13.5 }, '!')), '#' + e.num + ' ' + e.text));
	}
	const detail = el('div', { class: 'detail', 'aria-live': 'polite' });
	const plot = el('div', { class: 'plot', tabindex: 0, role: 'group', 'aria-label': 'Timeline: left and right go from event to event, e to the next error', keydown: keys }, svg);
	let now = first;
	function show(e, move) {
		now = e;
		cursor.setAttribute('x', x(e) - column / 2);
		cursor.setAttribute('visibility', 'visible');
		detail.textContent = '#' + e.num + ' ' + p.lanes[e.lane] + ' after ' + duration(e.at) + ': ' + e.text + (hits.has(e.num) ? '   ✗ the violation' : causes.has(e.num) ? '   the cause' : '');
		if (move) plot.scrollLeft = x(e) - plot.clientWidth / 2;
	}
	function keys(k) {
		const errors = evs.filter(e => hits.has(e.num));
		const to = k.key === 'ArrowRight' ? evs[now.col + 1] : k.key === 'ArrowLeft' ? evs[now.col - 1] : k.key === 'Home' ? evs[0] : k.key === 'End' ? evs.at(-1)
			: k.key === 'e' ? errors.find(e => e.col > now.col) || errors[0] : null;
		if (to) { k.preventDefault(); show(to, true); }
	}
	svg.addEventListener('click', k => { show(evs.reduce((a, b) => Math.abs(b.x - k.offsetX) < Math.abs(a.x - k.offsetX) ? b : a)); });
	goTo = n => { const e = by.get(n); if (e) { plot.scrollIntoView({ block: 'center' }); show(e, true); plot.focus({ preventScroll: true }); } };
	show(first);
	requestAnimationFrame(() => show(now, true));
	return [el('h2', {}, 'What happened'), el('p', { class: 'soft' }, (p.total > evs.length ? count(evs.length, 'event') + ' of ' + p.total.toLocaleString('en') + (hits.size ? ', near the violation. ' : ', the last ones. ') : '') +
		'Bars are calls, circles are events; red is the violation, yellow its cause, numbers at the top are steps of the check, ! a fault. '),
	hits.size ? el('p', {}, el('button', { click: () => goTo(first.num) }, 'First error'), ' ', el('button', { click: () => keys({ key: 'e', preventDefault() {} }) }, 'Next error (e)')) : null,
	el('div', { class: 'pic' }, el('div', { class: 'names', style: 'height:' + (high + 34) + 'px' }, p.lanes.map((l, i) => el('span', { title: l, style: 'top:' + (top0 + i * lane + 8) + 'px' }, l))), plot),
	detail, el('details', {}, el('summary', {}, 'The events as a list'), el('div', { class: 'scroll' }, el('table', {}, el('tbody', {}, evs.map(e =>
		el('tr', { class: hits.has(e.num) && 'failed' }, el('td', { class: 'num' }, '#' + e.num), el('td', {}, duration(e.at)), el('td', {}, p.lanes[e.lane]), el('td', {}, e.text)))))))];
}

// bars draws a call until its answer, and a thin line until the last event that belongs to it.
function bars(svg, evs, x, y) {
	for (const c of evs.filter(e => e.phase === 1)) {
		const of = evs.filter(e => e.call === c.num), back = of.find(e => e.phase === 2), last = of.at(-1), end = back ? x(back) : x(last || c);
		if (last && last !== back) svg.append(el('line', { class: 'tail', x1: x(c), x2: x(last), y1: y(c), y2: y(last) }));
		svg.append(hover(el('rect', { class: 'bar' + (back ? '' : ' open'), x: x(c) - 9, y: y(c) - 11, width: Math.max(end - x(c), 0) + 18, height: 22, rx: 11 }), c.text + (back ? '  ' + back.text : '')));
	}
}
const letters = { ADDED: 'A', MODIFIED: 'M', DELETED: 'D', BOOKMARK: 'B', ERROR: '!', SETTLED: '·', STOPPED: '■', ENDED: '▪', PANIC: '!' };
function mark(e, x, y, hit) {
	const sign = e.phase === 1 ? e.kind[0].toUpperCase() : e.phase === 2 ? '◂' : letters[e.kind] || e.kind[0];
	return hover(el('g', { class: 'mark ' + e.kind.replace(/[^A-Za-z]/g, '') + (hit ? ' hit' : '') }, el('circle', { cx: x, cy: y, r: 8 }), el('text', { x, y: y + 3.5 }, sign)), '#' + e.num + ' ' + e.text);
}
// between draws the steps between events, and where events are left out.
function between(svg, marks, high) {
	for (const { x, w, step: s, from, out } of marks) {
		if (out) svg.append(hover(el('g', { class: 'gap' }, el('rect', { x: x - w / 2, y: 20, width: w, height: high - 20 }), el('text', { class: 'soft', x, y: high + 30 }, out.toLocaleString('en') + ' left out')),
			(out === 1 ? 'Event #' + from + ' is' : 'Events #' + from + ' to #' + (from + out - 1) + ' are') + ' left out'));
		if (!s) continue;
		const half = s.count ? 26 : 8;
		svg.append(el('line', { class: 'stepline', x1: x, x2: x, y1: 18, y2: high }), hover(el('g', { opacity: s.skipped ? .45 : 1 },
			el('rect', { class: 'stepdot', 'data-after': s.after, x: x - half, y: 2, width: 2 * half, height: 16, rx: 8 }), el('text', { class: 'stepnum', x, y: 13.5 }, s.count ? s.count + ' steps' : s.num)),
			(s.count ? 'Step ' : 'Step ' + s.num + ': ') + s.text + (s.skipped ? ' (did nothing: ' + s.skipped + ')' : '')));
	}
}
function times(svg, evs, x, high) {
	let free = -99, was = null;
	for (const e of evs) {
		if (was !== null && e.at - was > 1e6) svg.append(el('line', { class: 'stepline', x1: x(e) - column / 2, x2: x(e) - column / 2, y1: high, y2: high + 30 }));
		if (was === null || (e.at !== was && x(e) > free)) {
			svg.append(el('text', { class: 'soft', x: x(e) - 8, y: high + 15 }, duration(e.at)));
			free = x(e) + 58;
		}
		was = e.at;
	}
}
function hover(e, text) {
	e.addEventListener('mousemove', m => {
		tip.textContent = text;
		tip.style.visibility = 'visible';
		tip.style.left = Math.min(m.clientX + 12, innerWidth - tip.offsetWidth - 8) + 'px';
		tip.style.top = Math.min(m.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
	});
	e.addEventListener('mouseleave', () => { tip.style.visibility = 'hidden'; });
	return e;
}

function found(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean), fits = s => words.every(w => s.toLowerCase().includes(w));
	const rules = data.rules.map((r, i) => [r, i]).filter(([r]) => fits(r.name + ' ' + (r.text || ''))), results = data.results.filter(r => fits(checkOf(r) + ' ' + targetOf(r) + ' ' + r.v));
	const some = (all, what) => count(all.length, what) + (all.length > 200 ? ', the first 200 of them here' : '');
	return [el('h1', {}, 'Found'), el('h2', {}, some(results, 'result')), el('ul', { class: 'list' }, results.slice(0, 200).map(resultLine)),
		el('h2', {}, some(rules, 'rule')), el('ul', { class: 'list' }, rules.slice(0, 200).map(([r, i]) => el('li', {}, link('#/rule/' + i, r.name), el('span', { class: 'soft' }, ' ' + (r.text || '')))))];
}
const lost = () => [el('h1', {}, 'There is no such page'), link('#/', 'To the overview')];

const pages = [['', 'Overview', overview], ['failures', 'Failures', list], ['matrix', 'Matrix', matrix], ['rules', 'Rules', rulesPage]];
function route() {
	const [, page = '', ...args] = location.hash.split('/').map(decodeURIComponent);
	const known = pages.find(p => p[0] === page);
	tip.style.visibility = 'hidden';
	goTo = () => {};
	document.getElementById('nav').replaceChildren(...pages.map(([id, name]) => el('a', { href: '#/' + id, 'aria-current': id === page && 'page' }, name)));
	const content = page === 'result' ? resultPage(+args[0], +args[1]) : page === 'rule' ? rulePage(+args[0]) : page === 'find' ? found(args[0] || '') : known ? known[2](...args) : lost();
	const box = () => main.querySelector('.matrix'), old = [scrollY, box()?.scrollTop, box()?.scrollLeft];
	if (shown !== null) spots[shown] = old;
	main.replaceChildren(...content.flat(9).filter(Boolean));
	const title = main.querySelector('h1'), back = history.state !== null, [top, ...inner] = back && spots[location.hash] || [0];
	document.title = title.textContent + ' · lwtest';
	if (document.activeElement !== search) search.value = page === 'find' ? args[0] || '' : '';
	title.tabIndex = -1;
	if (shown !== null && document.activeElement !== search) (back && [...main.querySelectorAll('a')].find(a => a.hash === shown) || title).focus({ preventScroll: true });
	shown = location.hash;
	history.replaceState({}, '');
	box()?.scrollTo(inner[1] || 0, inner[0] || 0);
	scrollTo(0, top);
}
// Where each page was scrolled to, for the way back: an entry of the browser's history has a state once it was shown.
const spots = {};
let shown = null;
history.scrollRestoration = 'manual';
addEventListener('hashchange', route);
document.querySelector('.skip').addEventListener('click', k => { k.preventDefault(); main.querySelector('h1').focus(); });
search.addEventListener('input', () => {
	const to = search.value ? '#/find/' + encodeURIComponent(search.value) : '#/';
	if (location.hash.startsWith('#/find/')) history.replaceState(null, '', to);
	else history.pushState(null, '', to);
	route();
});
addEventListener('keydown', k => {
	if (k.target === search || k.ctrlKey || k.metaKey || k.altKey) { if (k.key === 'Escape') search.blur(); return; }
	const all = failures(), now = all.findIndex(r => (location.hash + '/').startsWith('#/result/' + r.i + '/'));
	const to = { o: '#/', f: '#/failures', m: '#/matrix', r: '#/rules' }[k.key] || (k.key === 'j' && all[now + 1] && '#/result/' + all[now + 1].i) || (k.key === 'k' && all[now - 1] && '#/result/' + all[now - 1].i);
	if (k.key === '/') { k.preventDefault(); search.focus(); } else if (to) location.hash = to;
});
route();
