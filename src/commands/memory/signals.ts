/**
 * The words that indicate the sector of a text. A word counts in all its forms (words are compared by stem) and only as
 * a whole word; phrases are a few consecutive words. `strong` signals hardly occur in other sectors.
 */
import type { Sector } from '../../events/memory/events.ts';

interface Signals {
  readonly strong: string;
  readonly plain: string;
  /** Separated by semicolons. */
  readonly phrases: string;
}

export const SIGNALS: Readonly<Record<Sector, Signals>> = {
  episodic: {
    strong: `yesterday tonight ago monday tuesday wednesday thursday friday saturday sunday happened attended visited
      met arrived meeting standup appointment birthday wedding trip holiday vacation interview outage incident
      anniversary lunch dinner breakfast`,
    plain: `today morning afternoon evening night weekend january february april june july august september october
      november december week month session event call called went came saw told said asked talked spoke discussed
      moved joined left started finished bought ordered travelled flew watched deployed released noon midnight
      cancelled conference party concert demo review retrospective decided agreed booked scheduled`,
    phrases: `last week; last month; last year; last night; this morning; this afternoon; the other day; next week;
      earlier today; the day before; on the phone; in the meeting; we met; i met; i went; we went; for the first time`,
  },
  semantic: {
    strong: `definition defined means meaning denotes synonym consists comprises specification protocol standard
      theorem taxonomy capital population formula encoding format schema algorithm`,
    plain: `api type class interface concept term theory fact property version language library framework database
      supports requires contains includes uses called known named based equals unit constant default limit port
      license architecture endpoint prefers preference favourite favorite model structure component located belongs
      written element`,
    phrases: `is a; is an; is the; are a; are the; stands for; refers to; is called; is defined as; is known as;
      is part of; consists of; is used for; is used to; is based on; is written in; depends on; belongs to; such as;
      in general; by default; is located in; lives in; works at; works for; runs on`,
  },
  procedural: {
    strong: `install configure step steps procedure recipe instructions workflow checkout compile restart rollback
      sudo npm docker kubectl chmod git bake preheat stir knead tighten unscrew recompile redeploy rebase`,
    plain: `run build deploy execute command script click open press type enter select create update upgrade remove
      delete copy paste commit push pull merge start stop set add use enable disable export import test check verify
      first then next finally before after until ensure repeat mix pour cut heat wait turn save backup restore
      migrate generate download upload edit rename replace apply append`,
    phrases: `how to; step by step; in order to; make sure; make sure to; to do this; first of all; after that;
      and then; run the; open the; click on; go to; you need to; you must; remember to; be sure to; set the; use the;
      to fix; to install; to build; to start; to reset; to restart; to deploy; to release`,
  },
  emotional: {
    strong: `happy happiness sad sadness angry anger frustrated frustrating afraid scared fear anxious anxiety worried
      love loved hate hated joy excited thrilled delighted upset miserable lonely proud ashamed embarrassed grateful
      thankful relieved nervous stressed stressful overwhelmed disappointed disappointing annoyed annoying jealous
      heartbroken terrified cheerful hopeful hopeless depressed furious guilty adore dread mood emotion feeling`,
    plain: `feel felt enjoy enjoyed tired exhausted exhausting glad sorry hurt cry cried laugh laughed smile smiled
      miss missed wonderful awful terrible horrible amazing fantastic worst best fun calm peaceful shocked surprised
      bored boring comfortable uncomfortable pain trust crush tears heart like dislike`,
    phrases: `i feel; i felt; makes me; made me; i am so; i was so; i love; i hate; can not stand; can't stand;
      cheered me up; broke my heart; looking forward to; fed up; burned out; burnt out; scared of; afraid of;
      proud of; sick of; in a good mood; in a bad mood; could not stop smiling`,
  },
  reflective: {
    strong: `lesson insight hindsight realised realized realise realize principle takeaway pattern tendency learned
      learnt wisdom philosophy reflection reflecting perspective mindset retrospectively tradeoff conclusion rule`,
    plain: `should shouldn always never usually often tend understand understood believe noticed notice better worse
      matter matters value values important worth mistake habit improve improvement growth goal purpose
      experience consider rather instead judgement attitude truth simple simplicity overall`,
    phrases: `in hindsight; looking back; i learned; we learned; lesson learned; i realised; i realized; we realised;
      we realized; i noticed that; it turns out; the lesson; next time; in the long run; over time; more important
      than; rule of thumb; i tend to; we tend to; it is better to; it pays to; what matters; i should have;
      we should have; the key is; from now on; i understand now; every time`,
  },
};
