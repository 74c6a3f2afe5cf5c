import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalCopy, canonicalJson, DEPTH_MAX } from '../../src/storage/canonical-json.ts';

const REFUSED = expect.objectContaining({ code: 'STORAGE_VALUE_INVALID' });

describe('canonical JSON (RFC 8785)', () => {
  it('writes the example of §3.2.2 and §3.2.3', () => {
    const source = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalJson(JSON.parse(source))).toBe(expected);
  });

  it('sorts keys by UTF-16 code units, as in §3.2.3', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(text).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s of appendix B as %s', (hex, text) => {
    expect(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE())).toBe(text);
  });

  it('escapes only what RFC 8785 requires', () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
    expect(canonicalJson(controls)).toBe(
      String.raw`"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013` +
        String.raw`\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f"`,
    );
    expect(canonicalJson('/\u007f\u2028é😀')).toBe('"/\u007f\u2028é😀"');
  });

  it.each([
    ['NaN', { a: [1, Number.NaN] }, '$.a[1]'],
    ['Infinity', [Number.POSITIVE_INFINITY], '$[0]'],
    ['undefined', { a: { b: undefined } }, '$.a.b'],
    ['a hole', new Array(1), '$[0]'],
    ['a bigint', { n: 1n }, '$.n'],
    ['a function', { f: () => 1 }, '$.f'],
    ['a symbol', Symbol('x'), '$'],
    ['a lone surrogate in a text', { s: 'x\ud800y' }, '$.s'],
    ['a lone surrogate in a key', { '\udc00': 1 }, '$'],
    ['a date', { at: new Date(0) }, '$.at'],
    ['a map', new Map(), '$'],
  ])('refuses %s and names its path', (_, value, path) => {
    expect(() => canonicalJson(value)).toThrow(REFUSED);
    expect(() => canonicalJson(value)).toThrow(`The value at ${path}`);
  });

  it('refuses values that are nested too deep or contain themselves', () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < DEPTH_MAX; depth += 1) nested = [nested];
    expect(JSON.parse(canonicalJson(nested))).toEqual(nested);
    expect(() => canonicalJson([nested])).toThrow(REFUSED);
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(() => canonicalJson(loop)).toThrow(REFUSED);
  });

  it('gives the same text whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const said = JSON.parse(JSON.stringify(value)) as unknown;
        const text = canonicalJson(said);
        expect(JSON.parse(text)).toEqual(said);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(reversed(said))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

describe('a copy', () => {
  const read = (value: unknown): string => JSON.stringify(JSON.parse(canonicalJson(value)));
  const copied = (value: unknown): string => JSON.stringify(canonicalCopy(value, canonicalJson(value)));

  it('equals the parsed text, with its keys in the same order', () => {
    const flat = fc.dictionary(
      fc.string({ unit: 'grapheme' }),
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean()),
    );
    fc.assert(
      fc.property(fc.oneof(flat, fc.jsonValue()), (value) => {
        expect(copied(value)).toBe(read(value));
      }),
    );
  });

  it.each([
    ['keys out of order', { b: 1, a: 2 }],
    ['keys that are numbers', { 10: 'a', 9: 'b' }],
    ['a list', [1, 'a']],
  ])('of %s, too', (_name, value) => expect(copied(value)).toBe(read(value)));

  it('has neither a negative zero nor symbol keys', () => {
    expect(canonicalCopy({ a: -0 }, '{"a":0}')).toStrictEqual({ a: 0 });
    expect(Reflect.ownKeys(canonicalCopy({ a: 1, [Symbol('b')]: 2 }, '{"a":1}') as object)).toEqual(['a']);
  });

  it('shares nothing with the value', () => {
    for (const value of [{ a: 1 }, { a: { b: 1 } }]) {
      const copy = canonicalCopy(value, canonicalJson(value)) as typeof value;
      expect(copy).not.toBe(value);
      if (typeof value.a === 'object') expect(copy.a).not.toBe(value.a);
    }
  });
});
