/**
 * The rules by which a scan proposes files for deliverables: a path contains one of a rule's fragments and ends with
 * one of its extensions. A proposal is a hint, not a finding.
 *
 * - Paths are lower-cased, relative to the root, with `/`, and matched with a `/` in front, so that a fragment such as
 *   `/adr/` also names a folder at the top.
 * - Short words end at a delimiter: `slo` is in `slot`, `tco` in `outcomes`.
 */
import { DELIVERABLE_TEMPLATES } from './template-deliverables.ts';

interface ScanRule {
  readonly key: string;
  /** The kind of the file, in words: the label of the evidence. */
  readonly rule: string;
  readonly fragments: readonly string[];
  /** Without the dot; null: any. */
  readonly extensions: readonly string[] | null;
}

const DOCUMENTS = 'md markdown adoc rst txt pdf docx';

const RULES: readonly ScanRule[] = [
  rule('current-state-architecture-map', 'architecture document or diagram', {
    fragments: 'architecture system-design c4-model context-diagram',
    extensions: 'md markdown adoc drawio mmd svg puml pdf',
  }),
  rule('system-inventory', 'service inventory or catalogue', {
    fragments: 'inventory service-catalog catalog-info system-catalog',
    extensions: 'md yaml yml csv json',
  }),
  rule('stakeholder-interviews', 'interview notes', {
    fragments: 'interview stakeholder-notes discovery-notes',
    extensions: DOCUMENTS,
  }),
  rule('functional-requirements', 'functional requirements', {
    fragments: 'functional-requirement user-stories user-story /prd prd-',
    extensions: DOCUMENTS,
  }),
  rule('non-functional-requirements', 'non-functional requirements', {
    fragments: 'non-functional nfr. nfr- /nfr quality-attributes',
    extensions: DOCUMENTS,
  }),
  rule('risk-register', 'risk register', {
    fragments: 'risk-register risk-log risks.',
    extensions: 'md csv xlsx yaml yml',
  }),
  rule('dependency-register', 'bill of materials or dependency register', {
    fragments: 'sbom cyclonedx spdx dependency-register dependencies.',
    extensions: 'md json xml csv yaml yml',
  }),
  rule('tech-debt-register', 'technical debt register', {
    fragments: 'tech-debt technical-debt debt-register',
    extensions: 'md csv yaml yml',
  }),
  rule('prioritized-roadmap', 'roadmap or delivery plan', {
    fragments: 'roadmap delivery-plan sequencing',
    extensions: DOCUMENTS,
  }),
  rule('success-criteria', 'success criteria', {
    fragments: 'success-criteria acceptance-criteria exit-criteria',
    extensions: DOCUMENTS,
  }),
  rule('measured-results', 'measured results', {
    fragments: 'benchmark eval-results measured-results pilot-results',
    extensions: 'md json csv html',
  }),
  rule('cost-model', 'cost model or estimate', {
    fragments: 'cost-model cost-estimate tco. tco- /tco pricing-model',
    extensions: 'md csv xlsx json',
  }),
  rule('go-no-go', 'recommendation', {
    fragments: 'go-no-go go_no_go recommendation',
    extensions: DOCUMENTS,
  }),
  rule('infrastructure-as-code', 'infrastructure definition', {
    fragments: 'terraform/ pulumi cloudformation /helm/ charts/ ansible main.tf kustomization',
    extensions: 'tf tfvars yaml yml json ts py',
  }),
  rule('ci-cd-pipelines', 'pipeline definition', {
    fragments: '.github/workflows/ .gitlab-ci jenkinsfile azure-pipelines .circleci/ buildkite .drone',
  }),
  rule('test-coverage', 'coverage report', {
    fragments: 'lcov.info coverage.xml cobertura tarpaulin-report coverage-summary',
  }),
  rule('observability', 'telemetry or dashboard definition', {
    fragments: 'opentelemetry otel- otel. grafana dashboards/ jaeger',
    extensions: 'yaml yml json toml md',
  }),
  rule('alerting-and-slos', 'alert rules or service level objectives', {
    fragments: 'slo. slo/ slo- slos. slos/ slos- alerting alertmanager alerts. prometheus',
    extensions: 'yaml yml json md rules',
  }),
  rule('threat-model', 'threat model', {
    fragments: 'threat-model threatmodel stride attack-tree',
    extensions: 'md json yaml yml pdf',
  }),
  rule('compliance-evidence', 'compliance artifact', {
    fragments: 'compliance soc2 soc-2 iso27001 hipaa pci-dss audit-evidence',
    extensions: 'md pdf csv json yaml yml',
  }),
  rule('architecture-decision-records', 'decision record', {
    fragments: '/adr/ adr- decision-record /decisions/',
    extensions: 'md markdown adoc',
  }),
  rule('runbooks', 'runbook', { fragments: 'runbook playbook', extensions: DOCUMENTS }),
  rule('escalation-paths', 'escalation path', { fragments: 'escalation', extensions: DOCUMENTS }),
  rule('oncall-handbook', 'on-call handbook', { fragments: 'on-call oncall rotation', extensions: DOCUMENTS }),
  rule('exit-plan', 'exit or transition plan', {
    fragments: 'exit-plan offboarding transition-plan handover',
    extensions: DOCUMENTS,
  }),
];

function rule(key: string, words: string, match: { fragments: string; extensions?: string }): ScanRule {
  const extensions = match.extensions?.split(' ') ?? null;
  return { key, rule: words, fragments: match.fragments.split(' '), extensions };
}

export interface Detection {
  readonly deliverable_key: string;
  readonly rule: string;
}

/** The deliverables for which a path may be evidence; `path` is lower-cased and relative to the root. */
export function detect(path: string): readonly Detection[] {
  const rooted = `/${path}`;
  return RULES.filter(
    ({ fragments, extensions }) =>
      fragments.some((fragment) => rooted.includes(fragment)) &&
      (extensions === null || extensions.some((extension) => path.endsWith(`.${extension}`))),
  ).map(({ key, rule }) => ({ deliverable_key: key, rule }));
}

/** Deliverables that no file can show. */
export const UNDETECTABLE: readonly string[] = DELIVERABLE_TEMPLATES.map(({ key }) => key).filter(
  (key) => !RULES.some((known) => known.key === key),
);
