/**
 * Sentences with the sector that a reader chose for them. The signal lists were tuned on the even ones only; the odd
 * ones are measured.
 */
import type { Sector } from '../../src/events/memory/events.ts';

const TEXTS: Readonly<Record<Sector, string>> = {
  episodic: `
Yesterday I met Clara at the station and we walked along the river.
On Tuesday the payment service went down for two hours.
We had the quarterly review this morning and Priya presented the numbers.
Last month Tom moved to Lisbon with his family.
The dentist appointment was at 14:30 and it took an hour.
I bought a second-hand bike from a colleague on Saturday.
During the call with the bank they asked for two more documents.
In March we visited my grandparents in Bergen.
The build broke right after the merge on Friday night.
Anna told me at lunch that she is leaving the company.
2026-03-14: signed the lease for the new flat.
Two weeks ago the cat got lost and came back after three days.
The workshop in Hamburg was cancelled because of the storm.
He called me at midnight to say that the flight was delayed.
We celebrated Ben's birthday in the garden.
The customer demo happened on Thursday and lasted forty minutes.
I ran my first half marathon in October.
Our train was stuck outside Milan for an hour last summer.
Sofia joined the team as the third backend engineer in January.
The standup started late today since the room was taken.
Last week the landlord came by to look at the heating.
We saw an owl in the woods the other day.
My sister sent a postcard from Kyoto a few days ago.
The interview with the candidate took place on Monday afternoon.
At the conference I talked to the author of the library.`,
  semantic: `
The capital of Mongolia is Ulaanbaatar.
TLS is a protocol that encrypts traffic between two hosts.
The user service is written in Go and exposes a REST API.
PostgreSQL uses multiversion concurrency control.
A monad is a structure that represents computations as steps.
Rosa's favourite colour is teal.
The default port of Redis is 6379.
The API key header is called X-Api-Key.
Photosynthesis converts light energy into chemical energy.
The company's fiscal year ends in June.
UTF-8 stands for Unicode Transformation Format with 8-bit units.
Marta works for the city library.
The billing database contains the invoices and the ledger tables.
An ellipse is defined as the set of points with a constant sum of distances.
Basalt is a volcanic rock.
Our design system is based on an eight pixel grid.
The limit for uploads is 25 megabytes.
Kubernetes consists of a control plane and worker nodes.
The term idempotent means that repeating has no further effect.
The cache depends on the session store.
Diego is allergic to peanuts.
The license of the project is MIT.
The staging environment runs on three virtual machines.
Ada is the name of the analytics cluster.
The warranty of the dishwasher is five years.`,
  procedural: `
To install the tool, run npm install and then npm start.
First preheat the oven, then mix the flour with the butter.
Run the migrations before you restart the server.
To reset the router, press the small button for ten seconds.
Make sure to stop the worker before you delete the queue.
Click on Settings, choose Export and save the file.
Deploy with make release and check the logs afterwards.
Open the config file and set debug to true.
Use git rebase -i to squash the commits, then push with force.
Create a branch, commit the fix and open a pull request.
Build the image with docker build and push it to the registry.
Remove the old filter, rinse the tank and insert the new one.
How to renew the certificate: stop nginx, run certbot, start nginx.
Turn the valve to the left until the water stops.
Copy the backup to the second disk and verify the checksum.
Before a release, update the changelog and tag the commit.
Boil the pasta for nine minutes and keep a cup of the water.
Type the passphrase and press enter to unlock the vault.
Generate the client from the schema and import it in the tests.
If the pump stalls, turn it off and wait five minutes.
Add the user to the group and restart the session.
Always run the linter and the tests before you push.
Knead the dough, let it rest and shape it into a ball.
Set the environment variable and then start the daemon.
Download the archive, extract it and execute the setup script.`,
  emotional: `
I am so happy that the operation went well.
The noise from upstairs makes me furious.
She was heartbroken when the dog died.
I feel anxious before every presentation.
He is really proud of his daughter.
I love the smell of rain on warm stone.
The rejection made me sad for days.
I was thrilled to see my old friends again.
This endless ticket queue is so frustrating.
We were scared when the lights went out.
I hate being interrupted while I think.
The kind letter from the neighbours made me cry.
I am grateful for the support of the team.
The silence in the room was uncomfortable and tense.
I can't stand the sound of chewing.
It was wonderful to hear her laugh again.
I feel overwhelmed by all these decisions.
He was disappointed that nobody came.
I am looking forward to the summer with so much joy.
The argument left me exhausted and angry.
I miss my brother terribly.
She is afraid of flying and gets nervous weeks before.
The team was delighted and relieved after the launch.
I felt ashamed of what I had said.
That song always puts me in a good mood.`,
  reflective: `
In hindsight we should have asked the users earlier.
I learned that small commits make reviews much easier.
The lesson is to never deploy on a Friday.
I realised that I work best in the early hours.
Looking back, the rewrite was a mistake.
Simple designs usually survive longer than clever ones.
I tend to say yes too quickly and regret it.
What matters is not the speed but the direction.
We learned the hard way that backups must be tested.
A good rule of thumb is to fix the cause and not the symptom.
I notice a pattern: every delay began with an unclear goal.
Next time I should take more time for the first draft.
Trust is more important than control in a small team.
It turns out that writing things down helps me think.
The key insight was that latency mattered more than throughput.
Over time I have come to value consistency over brilliance.
My principle is to leave the code better than I found it.
I understand now why she insisted on the checklist.
We always underestimate the work at the end of a project.
Perhaps the best decisions are those you can undo.
From now on I want to plan the week on Sunday evening.
Failure taught me more than any success.
I believe that habits are stronger than motivation.
The takeaway from the project is that scope must be fixed early.
I often confuse being busy with being useful.`,
};

export interface Labelled {
  readonly sector: Sector;
  readonly text: string;
}

function labelled(rest: 0 | 1): readonly Labelled[] {
  return Object.entries(TEXTS).flatMap(([sector, texts]) =>
    texts
      .trim()
      .split('\n')
      .filter((_, at) => at % 2 === rest)
      .map((text) => ({ sector: sector as Sector, text })),
  );
}

export const LOOKED_AT = labelled(0);
export const HELD_OUT = labelled(1);
