/** The skill incident-response. */

export const INCIDENT_RESPONSE = `# Incident response

Something that people depend on harms them now. First the harm ends, then comes the cause. Work calmly,
visibly and in small steps that can be undone.

## The first five minutes

1. **Say that it is an incident**, where the team looks, with what you see and since when. Too early is
   better than late.
2. **Name who leads.** One person decides and keeps the overview; with more than two people the lead does
   not type. Others take tasks: look, change, tell. Every task has one name on it.
3. **Judge the harm**: who is affected, how many, how badly, is it growing? Is data being lost, changed or
   exposed? Then it is at the highest level, whatever the numbers say.
4. **Open the record**: time (UTC), what was seen, what was done, by whom, what came of it. Write while it
   happens; nobody remembers it right afterwards.

As an agent you propose and prepare. Nothing that changes production is done without a person who says yes
to that very step, and you say beforehand what it changes, how one sees that it works, and how it is undone.

## Stop the harm

Look for what changed shortly before it began: deployment, flag, configuration, data import, certificate,
quota, traffic, a provider. Most often the quickest help is to take that back.

In this order, unless the facts say otherwise:

1. roll back or turn the flag off;
2. take load away: limit, shed, turn off what is expensive and not needed;
3. take the broken part out: fail over, drain, isolate;
4. add capacity, if it is capacity and you know it;
5. restart, after saving what a restart destroys: logs, a heap or thread dump, the list of connections,
   queue lengths;
6. mend forward, only when there is no way back. Small, reviewed, tested as well as the time allows.

- One change at a time, with a look at the effect before the next. Two at once teach nothing and may cancel
  each other.
- Agree before the change on the figure that will show whether it helped, and on how long to wait for it.
- Data first: stop what destroys it, before you restore speed. Take a copy before you repair.
- If it is an attack: preserve evidence, do not tell the attacker, call whoever is responsible for security,
  and change credentials only in the order they say.

## Find out while it burns

Only as much as is needed to stop it. Start at the symptom of the users and go inwards. Compare a healthy
and a sick one: host, region, version, customer. Ask of each part: does it get requests, does it answer, how
late, with which errors, is something full (disk, memory, connections, threads, quotas)? Distrust the
dashboard that is quiet: does it still get data?

## Tell people

- A first message at once, even with little: what is affected, since when, that it is being worked on, when
  the next message comes. Then keep that time, also with "nothing new".
- Say what users notice and what they can do. No guesses about causes, no blame, no promise of a time that
  you cannot keep.
- Hand over properly when shifts change: state, theories, changes made and not yet undone, next step, open
  promises.

## The end

It is over when the figure that users feel is normal and stays so for an agreed time, not when the fix is
deployed. Then: undo temporary measures or write down who does it when; say that it is over; thank people;
sleep.

## Afterwards, within days

Write it so that somebody who was not there learns from it, without blame: people acted sensibly on what
they saw.

- Summary, and harm in figures: who, how many, how long, what was lost.
- Timeline: began, noticed, declared, stopped, over. How long did each gap take, and why?
- Causes, more than one: the trigger, what let it through, what made it large, what made it hard to see.
- What went well, what was luck.
- Actions: few, each with an owner, a date and the kind (prevents, notices earlier, limits, recovers
  faster). Prefer those that make the mistake impossible over those that ask people to be careful.
`;
