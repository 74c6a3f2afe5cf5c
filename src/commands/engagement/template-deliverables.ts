/**
 * The 30 deliverables with which every engagement is seeded, in seeding order.
 *
 * - Deliverables are identified by their key: a published key does not change.
 * - `tool_hint` names where in Daybook the artifact is usually produced.
 */
import type { Phase } from '../../events/engagement/events.ts';
import type { Deliverable } from '../../events/engagement/records.ts';

export interface DeliverableTemplate extends Pick<Deliverable, 'phase' | 'key' | 'title' | 'description'> {
  readonly tool_hint: string;
}

type Row = Omit<DeliverableTemplate, 'phase'>;

const DISCOVER: readonly Row[] = [
  {
    key: 'current-state-architecture-map',
    title: 'Current-state architecture map',
    description:
      'The systems as they run today: components, data flows, trust boundaries and the points where people step in. ' +
      'Drawn from configuration and interviews, not from documents that say what was intended.',
    tool_hint: 'agent-run',
  },
  {
    key: 'system-inventory',
    title: 'System inventory',
    description:
      'Every service, data store, scheduled job and third-party dependency in scope, each with a named owner, its ' +
      'environment and its criticality.',
    tool_hint: 'agent-run',
  },
  {
    key: 'stakeholder-interviews',
    title: 'Stakeholder interviews',
    description:
      'Notes from conversations with the people who operate, support and depend on the systems: what they do by hand, ' +
      'what wakes them up and what they work around.',
    tool_hint: 'memory',
  },
  {
    key: 'functional-requirements',
    title: 'Functional requirements',
    description:
      'What the solution must do, stated so that each item can be demonstrated, with the stakeholder who asked for it ' +
      'and its priority.',
    tool_hint: 'document',
  },
  {
    key: 'non-functional-requirements',
    title: 'Non-functional requirements',
    description:
      'Limits for latency, throughput, availability, recovery, security and cost, each with a number, a unit, the load ' +
      'it holds under and the source of the number.',
    tool_hint: 'document',
  },
  {
    key: 'risk-register',
    title: 'Risk register',
    description:
      'Risks to delivery and to operation, each with likelihood, impact, owner, mitigation and the observable trigger ' +
      'that says it has occurred.',
    tool_hint: 'table',
  },
  {
    key: 'dependency-register',
    title: 'Dependency register',
    description:
      'Upstream and downstream dependencies including software components, suppliers, other teams and human approvals, ' +
      'with lead times and contacts.',
    tool_hint: 'table',
  },
  {
    key: 'tech-debt-register',
    title: 'Technical debt register',
    description:
      'Itemised technical debt with where it lies, what it costs to carry (hours, incidents or spend per month) and ' +
      'what it would cost to settle.',
    tool_hint: 'devex',
  },
  {
    key: 'prioritized-roadmap',
    title: 'Prioritised roadmap',
    description:
      'The proposed work in order, with effort, expected effect and the dependency or constraint that forces each ' +
      'position in the order.',
    tool_hint: 'goals',
  },
];

const PROVE: readonly Row[] = [
  {
    key: 'success-criteria',
    title: 'Success criteria',
    description:
      'The measurable criteria by which the pilot will be judged, with thresholds and measurement method, agreed in ' +
      'writing before the pilot starts.',
    tool_hint: 'document',
  },
  {
    key: 'pilot-deployment',
    title: 'Pilot deployment',
    description:
      'The narrow pilot running in the client’s environment on the client’s data, with its deployment target, data ' +
      'provenance and access recorded.',
    tool_hint: 'agent-run',
  },
  {
    key: 'measured-results',
    title: 'Measured results',
    description:
      'One verdict for each success criterion with the value observed, the method, the sample and the raw data it came ' +
      'from. Criteria that were not measured are listed as such.',
    tool_hint: 'agent-run',
  },
  {
    key: 'cost-model',
    title: 'Cost model',
    description:
      'Cost of build and of operation at target volume, with every assumption stated, unit costs sourced and dated, ' +
      'and the sensitivity to the two largest drivers.',
    tool_hint: 'table',
  },
  {
    key: 'go-no-go',
    title: 'Go / no-go recommendation',
    description:
      'Our recommendation with its reasons, which may be not to proceed, and the alternatives that were considered ' +
      'with what each would cost.',
    tool_hint: 'document',
  },
];

const BUILD: readonly Row[] = [
  {
    key: 'production-system',
    title: 'Production system',
    description:
      'The delivered system in production use, with its version, environments and acceptance by the accountable owner ' +
      'on record.',
    tool_hint: 'agent-run',
  },
  {
    key: 'infrastructure-as-code',
    title: 'Infrastructure as code',
    description:
      'Definitions from which every environment can be rebuilt out of a repository, with state handling, variables and ' +
      'the remaining manual steps documented.',
    tool_hint: 'agent-run',
  },
  {
    key: 'ci-cd-pipelines',
    title: 'CI/CD pipelines',
    description:
      'Automated build, test, security checks and deployment from commit to production, including the way back to the ' +
      'previous version.',
    tool_hint: 'agent-run',
  },
  {
    key: 'test-coverage',
    title: 'Test coverage report',
    description:
      'What the automated tests cover at unit, integration and end-to-end level, what they do not cover, and why that ' +
      'is acceptable.',
    tool_hint: 'devex',
  },
  {
    key: 'observability',
    title: 'Observability',
    description:
      'Structured logs, metrics and traces for every component, with dashboards that answer whether users are being ' +
      'served and where the time goes.',
    tool_hint: 'agent-run',
  },
  {
    key: 'alerting-and-slos',
    title: 'Alerting and SLOs',
    description:
      'Service level objectives with error budgets, and alerts on symptoms that users feel rather than on causes, each ' +
      'with a severity and a recipient.',
    tool_hint: 'agent-run',
  },
  {
    key: 'threat-model',
    title: 'Threat model',
    description:
      'Assets, entry points, trust boundaries and threats with their mitigations, produced while the system is being ' +
      'built, and the design changes it led to.',
    tool_hint: 'document',
  },
  {
    key: 'compliance-evidence',
    title: 'Compliance evidence',
    description:
      'The artifacts an auditor will ask for, mapped to the controls they satisfy, with the period they cover and where ' +
      'they are kept.',
    tool_hint: 'document',
  },
  {
    key: 'architecture-decision-records',
    title: 'Architecture decision records',
    description:
      'One record for each significant decision: its context, the options that were rejected and why, and the ' +
      'consequences that were accepted.',
    tool_hint: 'document',
  },
];

const OPERATE: readonly Row[] = [
  {
    key: 'runbooks',
    title: 'Runbooks',
    description:
      'One runbook for each alert: what it means, how to confirm it, how to mitigate it, how to verify recovery and ' +
      'when to escalate.',
    tool_hint: 'document',
  },
  {
    key: 'escalation-paths',
    title: 'Escalation paths',
    description:
      'Who is called, in which order, through which channel and after how long, for each severity, in and out of ' +
      'working hours.',
    tool_hint: 'document',
  },
  {
    key: 'oncall-handbook',
    title: 'On-call handbook',
    description:
      'Rotation, handover between shifts, and what a responder may do on their own authority, such as rolling back, ' +
      'shedding load or spending.',
    tool_hint: 'document',
  },
  {
    key: 'sla-managed-operation',
    title: 'Managed operation agreement',
    description:
      'The operating agreement: service levels, support hours, reporting, remedies, and the term after which operation ' +
      'passes to the client.',
    tool_hint: 'document',
  },
  {
    key: 'enablement-sessions',
    title: 'Enablement sessions',
    description:
      'The sessions held for the client’s engineers with date, topic, attendance and the material or recording left ' +
      'behind.',
    tool_hint: 'memory',
  },
  {
    key: 'pairing-log',
    title: 'Pairing log',
    description:
      'Who from the client paired with whom on which change or incident, and what they can now do without help.',
    tool_hint: 'memory',
  },
  {
    key: 'exit-plan',
    title: 'Exit plan',
    description:
      'The dated plan for our departure: access to revoke, knowledge and ownership checkpoints, outstanding ' +
      'obligations, and the person who accepts each.',
    tool_hint: 'document',
  },
];

function within(phase: Phase, rows: readonly Row[]): readonly DeliverableTemplate[] {
  return rows.map((row) => ({ phase, ...row }));
}

export const DELIVERABLE_TEMPLATES: readonly DeliverableTemplate[] = [
  ...within('discover', DISCOVER),
  ...within('prove', PROVE),
  ...within('build', BUILD),
  ...within('operate', OPERATE),
];
