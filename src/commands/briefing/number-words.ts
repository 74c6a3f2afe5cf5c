/**
 * Detects numbers and quantities in a text: digits of any script, numerals in any spelling, quantifiers. Pure.
 *
 * - The numerals of every language below count in each of them; its quantifiers count in a text of that language, the
 *   English ones in all. A word that may be a number counts as one.
 * - Articles (`a`, `ein`, `une`) are not numerals.
 * - A text in a language that is not listed cannot be checked.
 */

interface Language {
  /** A word that begins with one of these and is made of these and the endings is a numeral. */
  readonly numerals: string;
  readonly endings: string;
  readonly quantifiers: string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    numerals:
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
      'seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety ninty hundred hunderd ' +
      'thousand thousend million milion billion trillion zillion dozen first second third fourth fifth sixth ' +
      'seventh eighth eigth ninth tenth twelfth twelth twentieth thirtieth fortieth fiftieth sixtieth ' +
      'seventieth eightieth ninetieth twenties thirties forties fifties sixties seventies eighties nineties',
    endings: 'and ty teen th s fold',
    quantifiers:
      'no none nobody noone nothing nowhere never neither nor nil nought naught null nada zilch zip all every ' +
      'everybody everyone everything everywhere each both either any anybody anyone anything some somebody ' +
      'someone something several few fewer fewest many much more most mostly less lesser least lot lots plenty ' +
      'enough majority minority half halves quarter quarters thirds double doubled triple tripled quadruple ' +
      'quintuple twice thrice once couple pair pairs twin twins triplet triplets duo trio quartet quintet ' +
      'single sole multiple various numerous countless innumerable myriad umpteen score scores handful bunch ' +
      'tens number numbers entire entirely whole total totals average percent percentage pct minus plus another ' +
      'additional extra',
  },
  de: {
    numerals:
      'null eins einund einhundert eintausend zwei zwo drei vier funf fuenf sechs sechzehn sechzig sieben ' +
      'siebzehn siebzig acht neun zehn elf zwolf zwoelf zwanzig hundert tausend million milliarde dutzend zweit ' +
      'dritt viert',
    endings: 'und zig ssig tel stel te ten ter tes tem ste sten ster stes stem e en er es em n fach mal s',
    quantifiers:
      'kein keine keinen keinem keiner keines nichts niemand nie niemals all alle allen aller alles allem jede ' +
      'jeder jedes jeden jedem jegliche beide beiden beides einige einigen einiger einiges etliche mehrere ' +
      'mehreren mehrerer mehr viel viele vielen vieler vieles wenig wenige wenigen weniger meist meiste meisten ' +
      'halb halbe halben halber halbes halfte haelfte viertel doppelt doppelte einmal samtlich samtliche ' +
      'samtlichen manche manchen mancher paar ganz ganze ganzen ganzer prozent einzige einzigen einziger ' +
      'einzelne anzahl ersten erste erster',
  },
  fr: {
    numerals:
      'zero deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente ' +
      'quarante cinquante soixante septante huitante nonante cent mille million milliard douzaine dizaine ' +
      'centaine vingtaine millier premier premiere quatr cinqu neuv onz douz treiz quatorz quinz seiz trent ' +
      'quarant cinquant soixant mill',
    endings: 's ieme iemes',
    quantifiers:
      'aucun aucune aucuns nul nulle rien personne jamais tout toute tous toutes chaque chacun chacune ' +
      'plusieurs quelque quelques certains certaines beaucoup peu plus moins plupart moitie demi demie tiers ' +
      'quart double triple fois couple paire ensemble total pourcent seul seule ni',
  },
  es: {
    numerals:
      'cero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieci veinte veinti ' +
      'treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento quinientos quinientas mil millon ' +
      'millones docena decena centenar millar primero primera primer segundo segunda tercero tercera tercer',
    endings: 'y uno un una cientos cientas s es',
    quantifiers:
      'ningun ninguno ninguna nada nadie nunca jamas todo toda todos todas cada ambos ambas algun alguno alguna ' +
      'algunos algunas varios varias mucho mucha muchos muchas poco poca pocos pocas mas menos mayoria minoria ' +
      'mitad medio media tercio cuarto doble triple vez veces par unico unica total ciento unos unas ni',
  },
  it: {
    numerals:
      'zero due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici ' +
      'diciassette diciotto diciannove venti vent trenta trent quaranta quarant cinquanta cinquant sessanta ' +
      'sessant settanta settant ottanta ottant novanta novant cento mille mila milione milioni miliardo ' +
      'miliardi dozzina decina centinaio migliaio migliaia primo prima secondo seconda terzo terza',
    endings: 'uno un',
    quantifiers:
      'nessun nessuno nessuna niente nulla mai tutto tutta tutti tutte ogni ognuno ciascuno entrambi entrambe ' +
      'alcuno alcuna alcuni alcune qualche diversi diverse molto molta molti molte poco poca pochi poche piu ' +
      'meno maggioranza maggior meta mezzo mezza quarto doppio triplo volta volte paio coppia unico unica ' +
      'totale',
  },
  pt: {
    numerals:
      'zero dois duas tres quatro cinco seis sete oito nove dez onze doze treze quatorze catorze quinze ' +
      'dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta ' +
      'sessenta setenta oitenta noventa cem cento centos duzentos trezentos quinhentos mil milhao milhoes duzia ' +
      'dezena centena milhar primeiro primeira segundo segunda terceiro terceira',
    endings: 's',
    quantifiers:
      'nenhum nenhuma nada ninguem nunca jamais todo toda todos todas tudo cada ambos ambas algum alguma alguns ' +
      'algumas varios varias muito muita muitos muitas pouco pouca poucos poucas mais menos maioria minoria ' +
      'metade meio meia terco quarto dobro triplo vez vezes par unico unica total uns umas nem',
  },
  nl: {
    numerals:
      'nul twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien twintig dertig veertig ' +
      'vijftig zestig zeventig tachtig negentig honderd duizend miljoen miljard dozijn eenen eerste tweede ' +
      'derde vierde',
    endings: 'en ste de s',
    quantifiers:
      'geen niets niemand nooit al alle allen alles ieder iedere iedereen elk elke beide beiden enkele enige ' +
      'sommige verscheidene meerdere meer veel vele weinig minder minst meest meeste half halve helft kwart ' +
      'derde dubbel keer paar stel hele heel totaal procent enkel',
  },
};

/** Languages that write numerals and quantifiers with single characters. */
const HAN_LANGUAGES: readonly string[] = ['ja', 'zh'];
const HAN_CHARACTERS =
  '〇零一二三四五六七八九十百千万萬億亿兆廿卅壱弐参壹贰叁肆伍陆柒捌玖拾佰仟両两兩半' +
  '双雙倍幾几数數全皆毎每各諸多少無无無没沒複复';
const HAN_WORDS = 'すべ ひとつ ひとり ふたつ ふたり みっつ よっつ いつつ いくつ たくさん ほとんど ぜんぶ ゼロ ダース';
const HAN = new RegExp(`[${HAN_CHARACTERS}]|${HAN_WORDS.replaceAll(' ', '|')}`, 'u');
const SIGNS = /[\p{N}%‰‱∞🔟💯]/u;

/** Numerals that have another meaning outside these languages. */
const NUMERALS_ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  ...{ cent: ['fr'], cents: ['fr'], dos: ['es'], due: ['it'], elf: ['de', 'nl'], mila: ['it'], onze: ['fr', 'pt'] },
  ...{ otto: ['it'], premier: ['fr'], premiere: ['fr'], prima: ['it'], primer: ['es'], primo: ['it'], sei: ['it'] },
  ...{ seize: ['fr'], tre: ['it'], trent: ['it'], vent: ['it'], mill: [], mills: [] },
};
/** English quantifiers that have another meaning in these languages. */
const OTHER_MEANING: Readonly<Record<string, readonly string[]>> = { pt: ['no'], fr: ['pair'] };

const ROMAN = /^(?=[MDCLXVI])M*(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/i;
/** Roman numerals that are more often words, elisions or abbreviations. */
const NOT_ROMAN = new Set('C CD CI CV D DC DI I L M MC MD ML c cd ci d di i l li m mc md mi mix ml v vi x'.split(' '));
const SPELT_OUT = /(?<![\p{L}\p{N}])(?:\p{L}[\s.·-]+){2,}\p{L}(?![\p{L}\p{N}])/u;
const NOT_LATIN = /(?!\p{Script=Latin})\p{L}/u;
const NOT_LATIN_OR_HAN = /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u{30fc}])\p{L}/u;
/** Marks of emphasis, code and escapes: `for*ty*` reads as one word. */
const MARKS = /[*_`~\\]/g;

const NUMERALS = Object.values(LANGUAGES).map(({ numerals, endings }) => {
  const first = numerals.split(' ');
  return { first, parts: [...first, ...endings.split(' ')] };
});
const QUANTIFIERS = new Map(
  Object.entries(LANGUAGES).map(([language, { quantifiers }]) => [language, new Set(quantifiers.split(' '))]),
);

/** Whether texts in the language with this code, such as `pt-BR`, can be checked. */
export function isCheckable(code: string): boolean {
  const language = languageOf(code);
  return QUANTIFIERS.has(language) || HAN_LANGUAGES.includes(language);
}

/** Whether a text contains a number or a quantity, or letters of a script in which its language is not written. */
export function saysNumber(text: string, code: string): boolean {
  if (!isCheckable(code)) return true;
  const language = languageOf(code);
  const same = text.normalize('NFKC');
  if (SIGNS.test(same) || HAN.test(same)) return true;
  const plain = plainLetters(text);
  const foreign = HAN_LANGUAGES.includes(language) ? NOT_LATIN_OR_HAN : NOT_LATIN;
  if (foreign.test(plain) || SPELT_OUT.test(plain) || /\bnot an?\b/i.test(plain)) return true;
  const words = [plain.replace(MARKS, ''), plain.replace(MARKS, ' ')].join(' ').match(/\p{L}+/gu) ?? [];
  return words.some((word) => isRoman(word) || isNumberWord(word.toLowerCase(), language));
}

/** Compatibility forms as plain letters, without accents and invisible characters. */
export function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll('ß', 'ss');
}

function languageOf(code: string): string {
  return code.toLowerCase().split('-', 1)[0]!;
}

function isRoman(word: string): boolean {
  return ROMAN.test(word) && !NOT_ROMAN.has(word) && (word === word.toUpperCase() || word === word.toLowerCase());
}

function isNumberWord(word: string, language: string): boolean {
  const only = Object.hasOwn(NUMERALS_ONLY_IN, word) ? NUMERALS_ONLY_IN[word] : undefined;
  if (only?.includes(language) ?? NUMERALS.some((numerals) => isMadeOf(word, numerals))) return true;
  if (QUANTIFIERS.get(language)?.has(word) === true) return true;
  return QUANTIFIERS.get('en')?.has(word) === true && OTHER_MEANING[language]?.includes(word) !== true;
}

/** Takes time proportional to the length of the word, which a model wrote. */
function isMadeOf(
  word: string,
  { first, parts }: { readonly first: readonly string[]; readonly parts: readonly string[] },
): boolean {
  const ends = new Set(first.filter((part) => word.startsWith(part)).map((part) => part.length));
  // The iteration includes elements that are added during it.
  for (const end of ends) {
    for (const part of parts) if (word.startsWith(part, end)) ends.add(end + part.length);
  }
  return ends.has(word.length);
}
