/**
 * The 16 gates with which every engagement is seeded, in seeding order. Gates have no key; they are identified by phase
 * and title, so a published title does not change.
 */
import { PHASES, type Phase } from '../../events/engagement/events.ts';
import type { Gate } from '../../events/engagement/records.ts';

export type GateTemplate = Pick<Gate, 'phase' | 'title' | 'criterion' | 'measurement'>;

const GATES: Readonly<Record<Phase, readonly Omit<GateTemplate, 'phase'>[]>> = {
  discover: [
    {
      title: 'Inventory is complete',
      criterion: 'Every running service, data store and job in scope appears in the inventory with an owner.',
      measurement:
        'Cross-check the inventory against the cloud account listing, the CI project list and the on-call rotation. ' +
        'Anything found in one and missing from another counts as a miss; record the number of misses.',
    },
    {
      title: 'Requirements are testable',
      criterion: 'For each non-functional requirement there is a measurement that would show it to be violated.',
      measurement:
        'For each requirement, write the assertion that would falsify it. Record how many could not be written.',
    },
    {
      title: 'Roadmap is ordered by dependency',
      criterion: 'The order of the roadmap follows from constraints, not from preference.',
      measurement:
        'For each item, name the dependency or constraint that fixes its position. Record the items for which none ' +
        'could be named.',
    },
  ],
  prove: [
    {
      title: 'Criteria were agreed before the pilot',
      criterion: 'All success criteria were agreed with the client before the pilot started.',
      measurement:
        'Compare the date on which the client agreed to the criteria, and the creation time of each gate in this phase, ' +
        'with the start of the pilot. Record the dates and every criterion that came later.',
    },
    {
      title: 'Pilot ran on client infrastructure and data',
      criterion: 'The pilot ran in the client’s environment on the client’s own data.',
      measurement:
        'Confirm that the deployment target and the provenance of the data are attached as evidence to the pilot ' +
        'deployment, and record both.',
    },
    {
      title: 'Every criterion is judged',
      criterion: 'No success criterion is left without a verdict.',
      measurement:
        'Count the other gates in this phase that are still not measured, and the success criteria without a verdict ' +
        'in the measured results. Record both counts.',
    },
    {
      title: 'Cost model is stated at production volume',
      criterion: 'The cost model gives the cost at production volume and names the assumptions it rests on.',
      measurement:
        'Check that the volume, the source of the unit costs and the date of the unit costs are each named in the cost ' +
        'model. Record all three.',
    },
  ],
  build: [
    {
      title: 'Environment is rebuildable from source',
      criterion: 'A working environment can be provisioned from a fresh checkout.',
      measurement:
        'Provision a clean environment from a fresh checkout. Record the elapsed time and every manual step that was ' +
        'needed.',
    },
    {
      title: 'Pipeline stops a bad change',
      criterion: 'Each required check prevents a violating change from reaching production.',
      measurement:
        'For each check, open a change that violates it and record whether, and at which stage, the pipeline stopped it.',
    },
    {
      title: 'SLO alerts are proven to fire',
      criterion: 'A breach of each service level objective raises its alert.',
      measurement:
        'Inject a synthetic breach for each objective. Record whether the alert fired and how long it took to reach a ' +
        'person.',
    },
    {
      title: 'Security was reviewed during the build',
      criterion: 'The security review took place while it could still change the design.',
      measurement:
        'Compare the date of the threat model with the delivery date and list the design changes it caused. Record ' +
        'both dates and the changes.',
    },
    {
      title: 'Significant decisions are recorded',
      criterion: 'Every change of a boundary, data store or protocol has a decision record.',
      measurement:
        'Walk the change history for changes of boundaries, data stores and protocols and map each to a decision ' +
        'record. Record those without one.',
    },
  ],
  operate: [
    {
      title: 'Every alert has a runbook',
      criterion: 'Each configured alert names a runbook that exists and covers it.',
      measurement: 'Join the list of configured alerts with the list of runbooks. Record the alerts left over.',
    },
    {
      title: 'Escalation path is tested',
      criterion: 'A page reaches a responder at every level within the agreed time.',
      measurement: 'Run a paging drill through every level and time each hop. Record the times beside the targets.',
    },
    {
      title: 'Client engineers ran it unaided',
      criterion: 'The client’s engineers made a change and handled an incident without us.',
      measurement:
        'Record one production change and one incident, real or drilled, that were completed without our participation, ' +
        'with date and names.',
    },
    {
      title: 'Exit plan is agreed and dated',
      criterion: 'The exit plan is signed by the client and names a date.',
      measurement:
        'Attach the signed plan. Record its date and confirm that it contains the checklist of access to be revoked.',
    },
  ],
};

export const GATE_TEMPLATES: readonly GateTemplate[] = PHASES.flatMap((phase) =>
  GATES[phase].map((row) => ({ phase, ...row })),
);
