/** The colours of the dashboard, two schemes, and no font but the reader's own: this page is read without a script. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fcfcfa, #131411);
  --raised: light-dark(#fcfcfa, #191a17);
  --sunk: light-dark(#f1f1ec, #1d1e1a);
  --ink: light-dark(#161713, #f1f0e9);
  --soft: light-dark(#55564f, #b1b0a5);
  --line: light-dark(#dcdbd3, #34352f);
  --accent: light-dark(#7a5c00, #f6c500);
  --get: light-dark(#1c6e4f, #6fcf9f);
  --post: light-dark(#2057a8, #86b4ff);
  --change: light-dark(#8a5a00, #e6bd5a);
  --delete: light-dark(#a32c2c, #f2908c);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 var(--sans); }
a { color: inherit; text-underline-offset: .2em; text-decoration-thickness: from-font; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font: .875em/1.5 var(--mono); overflow-wrap: anywhere; }
p code, li code, dd code, dt code, td code { padding: .1em .3em; border-radius: 4px; background: var(--sunk); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; z-index: 3; background: var(--raised); padding: .5rem 1rem; }

.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: baseline; justify-content: space-between; gap: 1rem;
  padding: .8rem max(clamp(1rem, 3vw, 2rem), (100vw - 76rem) / 2 + clamp(1rem, 3vw, 2rem)); background: #161713; color: #f6f5ef; border-bottom: 3px solid #f6c500; }
.top a:focus-visible { outline-color: #f6c500; }
.brand { font-weight: 700; font-size: 1.1rem; letter-spacing: -.01em; text-decoration: none; }
.brand span { font-weight: 400; color: #b9b8ad; }
.top nav { display: flex; gap: 1.2rem; font-size: .9rem; }

.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto; }
.contents { position: sticky; top: 3.4rem; align-self: start; max-height: calc(100vh - 3.4rem); overflow-y: auto;
  padding: 1.6rem 1rem 3rem clamp(1rem, 3vw, 2rem); font-size: .875rem; scrollbar-width: thin; }
details.contents { display: none; }
.contents ul { list-style: none; margin: 0 0 1.2rem; padding: 0; }
.contents li a { display: flex; gap: .5rem; align-items: baseline; padding: .2rem 0; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.contents li a:hover { color: var(--accent); }
.contents .group { margin: 0 0 .3rem; color: var(--soft); font-size: .8rem; font-weight: 600; }
.contents .verb { flex: none; width: 2.7rem; font-size: .68rem; }

main { padding: 2.4rem clamp(1rem, 4vw, 3rem) 6rem; max-width: 54rem; min-width: 0; }
h1 { margin: 0 0 .6rem; font-size: clamp(1.9rem, 5vw, 2.7rem); line-height: 1.12; letter-spacing: -.025em; font-weight: 700; text-wrap: balance; }
h2 { margin: 4rem 0 .8rem; font-size: 1.55rem; line-height: 1.2; letter-spacing: -.015em; }
h3 { margin: 0 0 .3rem; font-size: 1.12rem; line-height: 1.3; }
p { margin: 0 0 1rem; max-width: 42rem; text-wrap: pretty; }
.lead { font-size: 1.15rem; color: var(--soft); max-width: 36rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
.anchor:hover::after { content: " #"; color: var(--soft); }

.facts { display: flex; flex-wrap: wrap; gap: .8rem 2.4rem; margin: 1.8rem 0 0; padding: 1rem 0; border-block: 1px solid var(--line); }
.facts dt { font-size: .8rem; color: var(--soft); }
.facts dd { margin: 0; }
.facts dd code { padding: 0; background: none; }
.guide h2 { margin-top: 3rem; }
.steps { padding-left: 1.3rem; }
.steps li { padding-left: .4rem; margin-bottom: 1.4rem; }
.steps li::marker { color: var(--accent); font-weight: 700; }
.rules { padding-left: 1.1rem; max-width: 42rem; }
.rules li { margin-bottom: .6rem; }
.pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .4rem 1.4rem; max-width: 42rem; margin: 0 0 1rem; }
.pairs dd { margin: 0; }

pre { margin: 0 0 1rem; padding: .9rem 1rem; overflow-x: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 3px;
  font: .84rem/1.6 var(--mono); tab-size: 2; }
pre code, li pre code { padding: 0; background: none; font: inherit; overflow-wrap: normal; }
pre.json { max-height: 26rem; }

.operation { margin: 0 0 1.4rem; padding: 1.3rem clamp(1rem, 2.5vw, 1.6rem) 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 3px; }
.operation:target, .schema:has(:target) { border-color: var(--accent); }
.route { max-width: none; display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .6rem; margin-bottom: .8rem; }
.route > code { padding: 0; background: none; font-weight: 600; font-size: .95rem; }
.access { margin-left: auto; font-size: .82rem; color: var(--soft); }
.note { font-size: .9rem; color: var(--soft); }
.verb { font: 700 .76rem/1.5 var(--mono); text-transform: uppercase; }
.verb.get { color: var(--get); }
.verb.post { color: var(--post); }
.verb.put, .verb.patch { color: var(--change); }
.verb.delete { color: var(--delete); }
.status { font: 700 .84rem/1.5 var(--mono); }
.status.good { color: var(--get); }
.status.bad { color: var(--delete); }

table { width: 100%; margin: 0 0 1rem; border-collapse: collapse; font-size: .92rem; }
caption { text-align: left; padding: 0 0 .3rem; font-size: .82rem; font-weight: 600; color: var(--soft); }
th, td { padding: .45rem .6rem .45rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
th { width: 13rem; }
.type { color: var(--soft); margin-right: .3rem; }

.answers { border-top: 1px solid var(--line); padding-top: .8rem; font-size: .95rem; }
.answer p { margin-bottom: .4rem; }
.types code { margin-right: .2rem; }
summary { cursor: pointer; padding: .25rem 0; color: var(--soft); font-size: .9rem; }
summary:hover { color: var(--accent); }
details[open] > summary { margin-bottom: .4rem; }
.refusals dt { margin-top: .5rem; font-size: .9rem; }
.refusals dd { margin: 0; }
.refusals ul { margin: .1rem 0 .4rem; padding-left: 1.1rem; font-size: .9rem; color: var(--soft); }
.schema { margin-bottom: .5rem; padding: .5rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 3px; }
.schema > div { scroll-margin-top: 7rem; }
.schema > summary { font: 600 .92rem/1.6 var(--mono); color: var(--ink); }

@media (max-width: 56rem) {
  .frame { display: block; }
  nav.contents { display: none; }
  details.contents { display: block; position: static; max-height: none; margin: 1rem clamp(1rem, 4vw, 3rem) 0; padding: .4rem 1rem;
    background: var(--raised); border: 1px solid var(--line); border-radius: 3px; }
  .contents summary { font-weight: 600; color: var(--ink); }
  main { padding-top: 1.6rem; }
  h2 { margin-top: 3rem; }
}
@media (max-width: 34rem) {
  .pairs { grid-template-columns: minmax(0, 1fr); gap: .1rem; }
  .pairs dd { margin-bottom: .6rem; }
  .access { margin-left: 0; width: 100%; }
  tr, th, td { display: block; width: auto; }
  td { border-top: 0; padding-top: 0; }
  th { padding-bottom: .1rem; }
}
@media print { .top, .contents { display: none; } .frame { display: block; } }
`;
