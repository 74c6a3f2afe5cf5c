/** Markdown as blocks. */
import { describe, expect, it } from 'vitest';
import { markdownBlocks } from '../../src/integrations/pdf/markdown.ts';

const text = (of: string, style = 'regular', more: object = {}) => ({ text: of, style, ...more });
const address = (link: string) => text(link, 'regular', { link });
const paragraph = (...spans: unknown[]) => ({ kind: 'paragraph', tight: false, spans });
const item = (of: string) => ({ kind: 'paragraph', tight: true, spans: [text(of)] });

describe('blocks', () => {
  it.each<[markdown: string, blocks: unknown[]]>([
    ['', []],
    ['# A *b*', [{ kind: 'heading', level: 1, spans: [text('A ', 'bold'), text('b', 'bold_italic')] }]],
    ['Six\n---', [{ kind: 'heading', level: 2, spans: [text('Six', 'bold')] }]],
    [
      'a **b** *c* ***d*** `e` ~~f~~',
      [
        paragraph(
          text('a '),
          text('b', 'bold'),
          text(' '),
          text('c', 'italic'),
          text(' '),
          text('d', 'bold_italic'),
          text(' '),
          text('e', 'mono'),
          text(' '),
          text('f', 'regular', { strike: true }),
        ),
      ],
    ],
    ['[x](https://y.z)', [paragraph(text('x', 'regular', { link: 'https://y.z' }))]],
    ['[x](file:///etc/passwd)', [paragraph(text('[x](file:///etc/passwd)'))]],
    ['[x](javascript:1)', [paragraph(text('[x](javascript:1)'))]],
    ['[x](/relative)', [paragraph(text('x'))]],
    // They were shown as `https://apple.com` in Cyrillic letters, `https://y.z/�` and `https://y.z/___`.
    ['https://xn--80ak6aa92e.com/', [paragraph(address('https://xn--80ak6aa92e.com/'))]],
    ['https://y.z/%FF', [paragraph(address('https://y.z/%FF'))]],
    ['<https://y.z/__%5F>', [paragraph(address('https://y.z/__%5F'))]],
    ['![alt](http://x/y.png)', [paragraph(text('[image: alt]'))]],
    ['![](http://x/y.png)', [paragraph(text('[image: http://x/y.png]'))]],
    ['<b>raw</b>', [paragraph(text('<b>raw</b>'))]],
    ['a\nb  \nc', [paragraph(text('a'), text(' '), text('b'), text('\n'), text('c'))]],
    ['```js\na\n  b\n```', [{ kind: 'code', text: 'a\n  b' }]],
    ['    indented', [{ kind: 'code', text: 'indented' }]],
    ['- a\n- b', [{ kind: 'list', start: null, items: [[item('a')], [item('b')]] }]],
    [
      '3. a\n   - b',
      [{ kind: 'list', start: 3, items: [[item('a'), { kind: 'list', start: null, items: [[item('b')]] }]] }],
    ],
    [
      '> a\n>> b',
      [{ kind: 'quote', blocks: [paragraph(text('a')), { kind: 'quote', blocks: [paragraph(text('b'))] }] }],
    ],
    ['***', [{ kind: 'rule' }]],
    [
      '|a|b|\n|:-:|--:|\n|1|**2**|\n|3|',
      [
        {
          kind: 'table',
          head: [
            { align: 'center', spans: [text('a', 'bold')] },
            { align: 'right', spans: [text('b', 'bold')] },
          ],
          rows: [
            [
              { align: 'center', spans: [text('1')] },
              { align: 'right', spans: [text('2', 'bold')] },
            ],
            [
              { align: 'center', spans: [text('3')] },
              { align: 'right', spans: [] },
            ],
          ],
        },
      ],
    ],
  ])('of %j', async (markdown, blocks) => {
    expect(await markdownBlocks(markdown)).toEqual(blocks);
  });

  it('of hostile nesting end', async () => {
    expect((await markdownBlocks(`${'> '.repeat(500)}x`)).length).toBeGreaterThan(0);
    expect((await markdownBlocks(`${'['.repeat(5_000)}`)).length).toBe(1);
  });
});
