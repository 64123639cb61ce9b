'use strict';
// The page of a report. Its address after the # says what is shown: #/, #/failures/HOW, #/matrix/KIND, #/rules,
// #/result/N/RULE, #/rule/N, #/find/WORDS.
// Text that others wrote is shown as report.Plain shows it: nothing turns its order round.
const plain = (_, v) => typeof v === 'string' ? v.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd') : v;
const data = JSON.parse(document.getElementById('data').textContent, plain);
const main = document.getElementById('main'), search = document.getElementById('search'), tip = document.getElementById('tip');
const svgNS = 'http://www.w3.org/2000/svg';
const ended = { // in the order of the overview
	failed: 'failed', should: 'broke a SHOULD', inconclusive: 'inconclusive', known: 'known failures', skipped: 'skipped', passed: 'passed',
};
const word = v => v === 'should' ? 'SHOULD' : v;
const statuses = ['every check passed, is a known failure, or was skipped', 'a check failed that is not known to fail, or a known failure passed',
	'a check was inconclusive, or nothing was tested', 'the run could not be made, or did not come to its end'];
data.results.forEach((r, i) => { r.i = i; });
for (const name of ['results', 'targets', 'checks', 'rules', 'causes', 'features']) data[name] ||= [];

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
const targetOf = r => data.targets[r.t].name, checkOf = r => data.checks[r.c].name, kindOf = r => checkOf(r).split('/')[0];
const count = (n, what) => n.toLocaleString('en') + ' ' + what + (n === 1 ? '' : 's');
const verdict = v => el('span', { class: 'verdict ' + v }, word(v));
const breaks = name => name.split(/(?<=[/:,])/).flatMap(part => [part, el('wbr')]); // a name, which may go on in the next line after a slash
const soft = text => el('span', { class: 'soft' }, text), fold = (open, head, ...rest) => el('details', { open }, el('summary', {}, head), rest);
const lines = items => el('ul', { class: 'list' }, items);
const kindsOf = results => [...new Set(results.map(kindOf))], at = (map, key, make) => map.get(key) || map.set(key, make()).get(key);
// tally counts results by how they ended, the worst first.
const tally = results => Object.keys(ended).map(v => [v, results.filter(r => r.v === v).length]).filter(([, n]) => n)
	.map(([v, n], i) => [i ? ', ' : '', el('span', { class: 'tally ' + v }, n.toLocaleString('en') + ' ' + word(v))]);
const open = () => data.results.filter(r => r.v === 'inconclusive' || r.v === 'failed' && !r.broken);
const bad = r => ['failed', 'should', 'inconclusive'].includes(r.v), failures = () => data.results.filter(bad);

const day = t => new Date(t).toISOString().replace('T', ' ').slice(0, 16) + ' UTC';
function duration(micros) {
	const s = Math.abs(micros) / 1e6, sign = micros < 0 ? '-' : '';
	const of = s < 1e-3 ? [s * 1e6, 'µs'] : s < 1 ? [s * 1e3, 'ms'] : s < 120 ? [s, 's'] : s < 7200 ? [s / 60, 'min'] : [s / 3600, 'h'];
	return s === 0 ? '0' : sign + Number(of[0].toPrecision(3)) + ' ' + of[1];
}

const resultLine = r => el('li', {}, verdict(r.v), ' ', link('#/result/' + r.i, checkOf(r)), soft(where(r) + gist(r)));
const where = r => data.targets.length > 1 ? ' on ' + targetOf(r) : '';
const gist = r => r.broken ? ': ' + r.broken.map(b => data.rules[b.r].name).slice(0, 3).join(', ') + (r.broken.length > 3 ? ' …' : '')
	: r.reason ? ': ' + r.reason.slice(0, 200) : '';

function overview() {
	const by = Object.fromEntries(Object.keys(ended).map(v => [v, data.results.filter(r => r.v === v).length]));
	return [
		el('h1', {}, data.status === 0 ? 'Nothing new is broken' : data.status === 1 ? 'Something is broken' : data.status === 2 ? 'Not proven' : 'The run did not come to its end'),
		el('p', { class: 'soft' }, 'Status ' + data.status + ': ' + statuses[data.status] + '. ' + count(data.results.length, 'check') + ' on ' + count(data.targets.length, 'target') +
			' in ' + duration(data.seconds * 1e6) + ', ' + day(data.started) + ', lwtest ' + data.version + '.'),
		el('pre', {}, ['lwtest', ...(data.args || [])].join(' ')),
		data.truncated || data.missing ? el('p', { class: 'failed' }, 'The run was cut short: ' + count(data.missing || 0, 'check') + ' without a result.') : null,
		(data.problems || []).map(p => el('p', { class: 'failed' }, p)), (data.stale || []).map(p => el('p', { class: 'failed' }, 'Known failure that no longer holds: ' + p)),
		el('ul', { class: 'tiles' }, Object.entries(ended).filter(([v]) => by[v]).map(([v, what]) =>
			el('li', {}, link('#/failures/' + v, el('b', { class: v }, by[v].toLocaleString('en')), what)))),
		failures().length ? [el('h2', {}, 'What to look at'), data.causes.slice(0, 10).map(causeCard), data.causes.length > 10 ? link('#/failures', 'all ' + count(data.causes.length, 'cause')) : null,
			el('ul', { class: 'list' }, open().slice(0, 20).map(resultLine))] : null, data.since ? sinceSection(data.since) : null, summary(), badges(), notable(),
	];
}

// sinceSection lists what changed since another report.
function sinceSection(s) {
	const said = v => ({ pass: 'passed', fail: 'failed', skip: 'skipped' })[v] || v, none = [s.new, s.fixed, s.other].every(g => !g || !g.length);
	const line = c => {
		const now = c.whole && c.is === 'fail' ? data.results[c.r].v : said(c.is); // failed, or a SHOULD
		const rules = (c.rules || []).join(', '), more = (c.whole && rules ? '; ' + rules : '') + (c.why ? ': ' + c.why.slice(0, 120) : '');
		return el('li', {}, c.r < 0 ? c.check : link('#/result/' + c.r, c.check), data.targets.length > 1 || c.r < 0 ? soft(' on ' + c.target) : null, c.whole ? ' ' : ': ' + rules + ' ',
			el('b', { class: now }, word(now)), ', before: ' + said(c.was), soft(more));
	};
	const group = (name, of, open) => of && of.length ? fold(open, name + ' (' + of.length.toLocaleString('en') + ')', lines(of.map(line))) : null;
	return [el('h2', {}, 'Since ' + s.name), el('p', { class: 'soft' }, 'Of ' + day(s.started) + '. ' + count(s.same, 'check') + ' as before' + (none ? ', and nothing else.' : '.')),
		group('New failures', s.new, s.new?.length <= 10), group('Fixed', s.fixed), group('Other changes', s.other)];
}

// badges says which features each target supports, and which ones it could declare.
const states = {
	failed: 'failing', should: 'breaks a SHOULD', inconclusive: 'inconclusive', known: 'known to fail', passed: 'supported', skipped: 'not tested', lacking: 'not declared',
};
function badge(f) {
	const lacks = f.v === 'lacking', help = data.help?.[f.kind + '/' + f.name] || '';
	const needs = count(f.n, 'check') + ' of those that were run ' + (f.n === 1 ? 'needs' : 'need') + ' it';
	const adds = [f.n && 'declared, it would add ' + count(f.n, 'check'), f.more && 'with other features ' + count(f.more, 'check') + ' more'].filter(Boolean).join('; ');
	let text = f.bad + ' of ' + f.n;
	if (lacks) text = f.n ? '+' + f.n : 'with others';
	else if (f.v === 'passed' || f.v === 'skipped') text = f.n || '';
	return el('li', { class: 'badge ' + f.v, title: f.name + ': ' + help + ' (' + (lacks ? adds : needs) + ')' }, f.v === 'passed' || lacks ? f.name : link('#/result/' + f.r, f.name), soft(' ' + text));
}
function badges() {
	const targets = [...Map.groupBy(data.features, f => f.t)];
	if (!targets.length) return null;
	const by = of => Object.entries(states).map(([v, what]) => [what, of.filter(f => f.v === v)]).filter(([, some]) => some.length);
	const rows = of => el('dl', { class: 'badges' }, by(of).map(([what, some]) => [el('dt', {}, what), el('dd', {}, el('ul', {}, some.map(badge)))]));
	const brief = of => by(of).map(([what, some]) => some.length + ' ' + what).join(', ');
	return [el('h2', {}, 'Features'), el('p', { class: 'soft' }, 'Numbers are checks that need the feature; of one that is not declared, how many it alone would add.'),
		targets.map(([t, of]) => {
			const name = data.targets[t].name;
			return targets.length > 4 ? fold(false, [name, soft(': ' + brief(of))], rows(of)) : [targets.length > 1 ? el('h3', {}, name) : null, rows(of)];
		})];
}

// notable lists the checks that took long, and those that were run again.
function notable() {
	const slow = data.results.filter(r => r.ms).toSorted((a, b) => b.ms - a.ms).slice(0, 10), again = data.results.filter(r => r.first);
	return slow.length || again.length ? [el('h2', {}, 'Durations and retries'), slow.length ? fold(false, 'Slowest checks', lines(slow.map(r =>
		el('li', {}, el('b', {}, duration(r.ms * 1000)), ' ', link('#/result/' + r.i, checkOf(r)), soft(where(r)))))) : null,
	again.length ? fold(false, 'Retried checks (' + again.length + ')', el('p', { class: 'soft' }, 'Each was inconclusive beside others, and was run again alone.'),
		lines(again.map(r => el('li', {}, verdict(r.v), ' ', link('#/result/' + r.i, checkOf(r)), soft(where(r) + '; first: ' + r.first))))) : null] : null;
}

// causeCard is a cause of failures: the rule, what its first check wanted and got, what else broke, and the checks.
function causeCard(c) {
	const r = data.results[c.results[0]], b = r.broken.find(b => b.r === c.r), f = b.bad[0], rest = c.results.slice(1);
	const also = (c.also || []).map((n, i) => [i ? ', ' : '', link('#/rule/' + n, data.rules[n].name)]);
	return el('section', { class: 'card ' + c.v }, el('h3', {}, b.level + ' ', link('#/result/' + r.i + '/' + c.r, data.rules[c.r].name), el('span', { class: 'soft' }, ' on ' + data.targets[c.t].name)),
		f ? el('dl', {}, el('dt', {}, 'want'), el('dd', { class: 'want' }, f.want), el('dt', {}, 'got'), el('dd', { class: 'got' }, f.got)) : null,
		data.rules[c.r].fix ? el('p', {}, 'Fix: ' + data.rules[c.r].fix) : null,
		c.also ? c.also.length > 6 ? fold(false, 'Also breaks ' + count(c.also.length, 'rule'), el('p', {}, also)) : el('p', {}, 'Also breaks ', also) : null,
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
	const cols = Object.keys(ended).filter(v => data.results.some(r => r.v === v)), tested = data.targets.some(t => t.plugin);
	return [el('h2', {}, 'Targets'), el('div', { class: 'scroll' }, el('table', {},
		el('thead', {}, el('tr', {}, el('th', {}, 'target'), el('th', {}, 'suite'), cols.map(c => el('th', { class: 'num' }, word(c))), tested ? el('th', {}, 'tested') : null)),
		el('tbody', {}, [...rows.values()].map(w => el('tr', {}, el('td', { class: 'long' }, breaks(data.targets[w.t].name)), el('td', {}, link('#/matrix/' + w.kind, w.kind)),
			cols.map(c => el('td', { class: 'num ' + (w.n[c] ? c : 'zero') }, w.n[c] ? w.n[c].toLocaleString('en') : '·')),
			tested ? el('td', { class: 'soft long' }, data.targets[w.t].plugin || '') : null)))))];
}

// What the failures page leaves out. It stays when a reader comes back.
const filter = { text: '', kind: '', target: '', slow: '0' };
const choose = (label, key, options, draw) => el('select', { 'aria-label': label, change: k => { filter[key] = k.target.value; draw(); } },
	options.map(([value, text]) => el('option', { value, selected: value === filter[key] }, text)));
function filterBar(all, draw) {
	const kinds = kindsOf(all), targets = [...new Set(all.map(targetOf))];
	return el('p', { class: 'filters' }, el('input', { type: 'search', value: filter.text, placeholder: 'Filter by rule, check or words', 'aria-label': 'Filter by rule, check or words',
		input: k => { filter.text = k.target.value; draw(); } }),
	kinds.length > 1 || filter.kind ? choose('Kind', 'kind', [['', 'all kinds'], ...kinds.map(k => [k, k])], draw) : null,
	targets.length > 1 || filter.target ? choose('Target', 'target', [['', 'all targets'], ...targets.map(t => [t, t])], draw) : null,
	choose('Duration', 'slow', [['0', 'any duration'], ['100', 'over 100 ms'], ['1000', 'over 1 s'], ['10000', 'over 10 s']], draw));
}

function list(v) {
	const all = v ? data.results.filter(r => r.v === v) : failures(), body = el('div'), note = el('p', { class: 'soft', 'aria-live': 'polite' });
	const draw = () => {
		const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean), has = text => words.every(w => text.toLowerCase().includes(w));
		const fits = r => (!filter.kind || kindOf(r) === filter.kind) && (!filter.target || targetOf(r) === filter.target) && r.ms >= +filter.slow;
		const text = r => [checkOf(r), targetOf(r), r.reason || '', ...(r.broken || []).map(b => data.rules[b.r].name)].join(' ');
		const causes = v ? [] : data.causes.filter(c => c.results.some(n => fits(data.results[n])) && has([data.rules[c.r].name, ...c.results.map(n => text(data.results[n]))].join(' ')));
		const others = v ? all : open(), shown = others.filter(r => fits(r) && has(text(r)));
		const said = shown.length + ' of ' + count(others.length, v ? 'check' : 'other check');
		note.textContent = v ? said : causes.length + ' of ' + count(data.causes.length, 'cause') + (others.length ? ', ' + said : '');
		body.replaceChildren(...causes.map(causeCard), ...(v ? kindsOf(shown).flatMap(k => [el('h2', {}, k), lines(shown.filter(r => kindOf(r) === k).map(resultLine))]) : [lines(shown.map(resultLine))]));
	};
	draw();
	return [el('h1', {}, v ? 'Checks: ' + ended[v] : 'Failures'),
		el('p', {}, Object.keys(ended).map(o => [link('#/failures/' + o, o === v ? el('b', {}, ended[o]) : ended[o]), ' · ']), link('#/failures', 'failed or open')),
		all.length ? [filterBar(all, draw), note, body] : el('p', {}, 'None.')];
}

// The matrix: a line for each section and a column for each target of a kind. A section where something is broken is open, and in
// it are the checks that did not pass everywhere; the others are below a line that opens them.
const folds = new Map(); // what a reader opened or closed
function matrix(kind) {
	const kinds = kindsOf(data.results);
	if (!kinds.length) return [el('h1', {}, 'Nothing was run')];
	if (!kinds.includes(kind)) kind = kinds.length > 1 ? '' : kinds[0];
	const results = data.results.filter(r => !kind || kindOf(r) === kind), sections = new Map(), cols = new Map();
	for (const r of results) {
		const [k, part, ...rest] = checkOf(r).split('/'), col = k + ' ' + r.t;
		at(at(at(sections, part, () => new Map()), rest.join('/') || part, () => new Map()), col, () => r);
		at(cols, col, () => ({ col, k, t: r.t }));
	}
	const columns = [...cols.values()].sort((a, b) => kinds.indexOf(a.k) - kinds.indexOf(b.k)), alone = columns.length === 1, first = columns[0];
	const choice = kinds.length > 1 ? el('p', {}, ['', ...kinds].map((k, i) => [i ? ' · ' : '', link('#/matrix/' + k, k === kind ? el('b', {}, k || 'all kinds') : k || 'all kinds')])) : null;
	if (!alone) return [el('h1', {}, 'Checks by targets'), choice, table(kind, sections, columns)];
	return [el('h1', {}, 'Checks of ', breaks(data.targets[first.t].name)), choice, [...sections].map(([part, rows]) => sectionList(part, [...rows.values()].map(r => r.get(first.col))))];
}

// sectionList is a section of a single target: what did not pass, and the rest folded.
function sectionList(part, results) {
	const rest = v => results.filter(r => r.v === v), told = results.filter(r => r.v !== 'passed' && r.v !== 'skipped');
	const under = v => rest(v).length ? fold(false, rest(v).length + ' ' + v, lines(rest(v).map(resultLine))) : null;
	return fold(results.some(bad), [el('b', {}, part), ': ', tally(results)], el('div', { class: 'inner' }, told.length ? lines(told.map(resultLine)) : null,
		told.length || rest('skipped').length ? [under('skipped'), under('passed')] : lines(results.map(resultLine))));
}

function table(kind, sections, columns) {
	const body = el('tbody'), several = new Set(columns.map(c => c.k)).size > 1;
	const toggle = (key, open, ...label) => el('button', { class: 'fold', 'aria-expanded': String(open), 'data-key': key, click: () => {
		folds.set(key, !open);
		draw();
		[...body.querySelectorAll('button')].find(b => b.dataset.key === key).focus({ preventScroll: true });
	} }, ...label);
	const row = ([name, of]) => el('tr', {}, el('th', { scope: 'row', title: data.checks[[...of.values()][0].c].about }, breaks(name)), columns.map(({ col }) => cell(of.get(col))));
	const passed = ([, of]) => [...of.values()].every(r => r.v === 'passed');
	const section = ([part, rows]) => {
		const all = [...rows.values()].flatMap(of => [...of.values()]), good = [...rows].filter(passed), rest = [...rows].filter(x => !passed(x));
		const key = kind + ' ' + part, open = folds.get(key) ?? all.some(bad), more = folds.get(key + ' passed') ?? false;
		const head = el('tr', { class: 'section' }, el('th', { scope: 'rowgroup' }, toggle(key, open, el('b', {}, part), ': ', gistOf(rows, all))),
			columns.map(({ col }) => el('td', {}, tally(all.filter(r => kindOf(r) + ' ' + r.t === col)))));
		if (!open) return [head];
		if (!rest.length) return [head, ...good.map(row)];
		const line = el('tr', {}, el('th', { scope: 'row' }, toggle(key + ' passed', more, good.length + ' passed')), el('td', { colspan: columns.length }));
		return [head, ...rest.map(row), ...(good.length ? [line] : []), ...(more ? good.map(row) : [])];
	};
	const draw = () => body.replaceChildren(...[...sections].flatMap(section));
	draw();
	const heads = columns.map(({ k, t }) => el('th', { scope: 'col' }, several ? el('i', {}, k) : null, el('span', {}, breaks(data.targets[t].name))));
	return el('div', { class: 'matrix', tabindex: 0, role: 'region', 'aria-label': 'Results of ' + (kind || 'all kinds') },
		el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, kind || 'section'), heads)), body));
}
// gistOf says how many checks of a section ended in the worst way, if that is a bad one.
function gistOf(rows, all) {
	const worst = Object.keys(ended).find(v => all.some(r => r.v === v)), hit = [...rows.values()].filter(of => [...of.values()].some(r => r.v === worst)).length;
	if (bad({ v: worst })) return el('span', { class: worst }, hit + ' of ' + rows.size + ' ' + word(worst));
	return worst === 'passed' ? rows.size + ' passed' : count(rows.size, 'check');
}
function cell(r) {
	if (!r) return el('td', {});
	const what = checkOf(r) + ' on ' + targetOf(r) + ': ' + ended[r.v];
	return el('td', {}, el('a', { href: '#/result/' + r.i, class: r.v, title: what, 'aria-label': what }, word(r.v)));
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
	return [el('h1', {}, breaks(r.name)), el('p', { class: 'soft' }, r.level + ', tested ' + count(r.tested || 0, 'time')), clause(r),
		broke.length ? [el('h2', {}, 'Broken by'), el('ul', { class: 'list' }, broke.map(resultLine))] : null,
		el('h2', {}, 'Tested by'), el('ul', { class: 'list' }, tests.map(c => {
			const of = data.results.filter(x => data.checks[x.c] === c), worst = Object.keys(ended).map(v => of.find(x => x.v === v)).find(Boolean);
			return el('li', {}, worst ? link('#/result/' + worst.i, c.name) : c.name, ': ', tally(of));
		}))];
}

function resultPage(i, rule) {
	const r = data.results[i];
	if (!r) return lost();
	const c = data.checks[r.c], all = failures(), at = all.indexOf(r), cards = (r.broken || []).toSorted((a, b) => (b.r === rule) - (a.r === rule));
	return [el('h1', {}, breaks(c.name)), el('p', {}, el('span', { class: 'verdict ' + r.v }, ended[r.v]), ' on ', el('b', {}, targetOf(r)), el('span', { class: 'soft' },
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
		f.compare ? fold(n === 0, 'Both runs side by side', sideBySide(f)) : null,
		f.timeline ? el('details', { open: n === 0 && !r.picture }, el('summary', {}, 'Timeline as text'), el('pre', {}, f.timeline)) : null)),
		b.more ? el('details', {}, el('summary', {}, 'More of the same'), el('ul', { class: 'list' }, b.more.map(m => el('li', {}, m)))) : null);
}

// sideBySide is the comparison of a finding: a column for each run, and across both what went wrong, what is left out, and why a row is marked.
function sideBySide(f) {
	const c = f.compare, hit = f.at.at(-1);
	const side = s => s ? el('td', { class: s.num === hit && 'failed' }, soft('#' + s.num + ' '), s.text) : el('td');
	const rows = c.rows.map(w => [w.between ? el('tr', { class: 'between ' + w.mark }, el('td', { colspan: 2 }, w.between)) : null,
		w.left || w.right ? el('tr', { class: w.mark || (w.left && w.right ? null : 'alone') }, side(w.left), side(w.right)) : null]);
	return [el('div', { class: 'scroll' }, el('table', { class: 'compare' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, c.left), el('th', { scope: 'col' }, c.right))), el('tbody', {}, rows))),
		c.differ ? [el('p', {}, 'What differs at the end:'), lines(c.differ.map(d => el('li', {}, d)))] : null];
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
	detail, eventList(p, evs, hits)];
}

// parseTime reads a time as duration writes it, in microseconds. It returns NaN for what is no time.
function parseTime(text) {
	const m = /^\s*(\d+(?:\.\d+)?)\s*(µs|us|ms|s|min|h|)\s*$/.exec(text);
	return m ? m[1] * { µs: 1, us: 1, ms: 1e3, s: 1e6, '': 1e6, min: 6e7, h: 3.6e9 }[m[2]] : NaN;
}

// eventList lists the events of a picture, all or those of an actor or a span of time.
function eventList(p, evs, hits) {
	const body = el('tbody'), note = el('span', { class: 'soft', 'aria-live': 'polite' });
	const actor = el('select', { 'aria-label': 'Actor', change: draw }, el('option', { value: '' }, 'all actors'), p.lanes.map((l, i) => el('option', { value: i }, l)));
	const limit = (name, e) => el('input', { 'aria-label': name, placeholder: name.toLowerCase() + ' ' + duration(e ? e.at : 0), size: 10, input: draw });
	const from = limit('From', evs[0]), to = limit('To', evs.at(-1));
	function draw() {
		const [least, most] = [from, to].map(i => parseTime(i.value)), near = t => Math.abs(t) / 200; // duration rounds to three digits
		[[from, least], [to, most]].forEach(([i, t]) => i.setAttribute('aria-invalid', String(i.value.trim() !== '' && Number.isNaN(t))));
		const shown = evs.filter(e => (!actor.value || e.lane === +actor.value) && !(e.at < least - near(least)) && !(e.at > most + near(most)));
		note.textContent = shown.length + ' of ' + count(evs.length, 'event');
		body.replaceChildren(...shown.map(e => el('tr', { class: hits.has(e.num) && 'failed' }, el('td', { class: 'num' }, '#' + e.num), el('td', { class: 'num' }, duration(e.at)),
			el('td', {}, p.lanes[e.lane]), el('td', { class: 'long' }, e.text))));
	}
	draw();
	return fold(false, 'The events as a list', el('p', { class: 'filters' }, actor, from, to, note), el('div', { class: 'scroll' }, el('table', {}, body)));
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
	if (k.target.matches?.('input, select') || k.ctrlKey || k.metaKey || k.altKey) { if (k.key === 'Escape') k.target.blur?.(); return; }
	const all = failures(), now = all.findIndex(r => (location.hash + '/').startsWith('#/result/' + r.i + '/'));
	const to = { o: '#/', f: '#/failures', m: '#/matrix', r: '#/rules' }[k.key] || (k.key === 'j' && all[now + 1] && '#/result/' + all[now + 1].i) || (k.key === 'k' && all[now - 1] && '#/result/' + all[now - 1].i);
	if (k.key === '/') { k.preventDefault(); search.focus(); } else if (to) location.hash = to;
});
route();
