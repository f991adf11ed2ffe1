import { html, prose } from './html';

it('whatever is put in is text, not markup', () => {
  expect(html`<p title="${'"'}">${'<script>'}${["a'b", '&']}</p>`.text).toBe(
    '<p title="&quot;">&lt;script&gt;a&#39;b&amp;</p>',
  );
});

it('nothing comes of what is not there, and markup stays markup', () => {
  expect(html`${undefined}${null}${false}${0}${html`<b>${'b'}</b>`}`.text).toBe('0<b>b</b>');
});

it('words in backticks become code', () => {
  expect(prose('ask `GET /jobs?a=<b>` again').text).toBe('ask <code>GET /jobs?a=&lt;b&gt;</code> again');
});
