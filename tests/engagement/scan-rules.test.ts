/** Which paths are proposed for which deliverable: the contract's table of fragments and extensions, row by row. */
import { describe, expect, it } from 'vitest';
import { detect, UNDETECTABLE } from '../../src/commands/engagement/scan-rules.ts';

const DOCS = 'md markdown adoc rst txt pdf docx';

/** Key, fragments, extensions; null: any. A fragment that begins with `/` is the beginning of a name. */
const TABLE: readonly (readonly [string, string, string | null])[] = [
  [
    'current-state-architecture-map',
    'architecture system-design c4-model context-diagram',
    'md markdown adoc drawio mmd svg puml pdf',
  ],
  ['system-inventory', 'inventory service-catalog catalog-info system-catalog', 'md yaml yml csv json'],
  ['stakeholder-interviews', 'interview stakeholder-notes discovery-notes', DOCS],
  ['functional-requirements', 'functional-requirement user-stories user-story /prd prd-', DOCS],
  ['non-functional-requirements', 'non-functional nfr. nfr- /nfr quality-attributes', DOCS],
  ['risk-register', 'risk-register risk-log risks.', 'md csv xlsx yaml yml'],
  ['dependency-register', 'sbom cyclonedx spdx dependency-register dependencies.', 'md json xml csv yaml yml'],
  ['tech-debt-register', 'tech-debt technical-debt debt-register', 'md csv yaml yml'],
  ['prioritized-roadmap', 'roadmap delivery-plan sequencing', DOCS],
  ['success-criteria', 'success-criteria acceptance-criteria exit-criteria', DOCS],
  ['measured-results', 'benchmark eval-results measured-results pilot-results', 'md json csv html'],
  ['cost-model', 'cost-model cost-estimate tco. tco- /tco pricing-model', 'md csv xlsx json'],
  ['go-no-go', 'go-no-go go_no_go recommendation', DOCS],
  [
    'infrastructure-as-code',
    'terraform/ pulumi cloudformation /helm/ charts/ ansible main.tf kustomization',
    'tf tfvars yaml yml json ts py',
  ],
  ['ci-cd-pipelines', '.github/workflows/ .gitlab-ci jenkinsfile azure-pipelines .circleci/ buildkite .drone', null],
  ['test-coverage', 'lcov.info coverage.xml cobertura tarpaulin-report coverage-summary', null],
  ['observability', 'opentelemetry otel- otel. grafana dashboards/ jaeger', 'yaml yml json toml md'],
  [
    'alerting-and-slos',
    'slo. slo/ slo- slos. slos/ slos- alerting alertmanager alerts. prometheus',
    'yaml yml json md rules',
  ],
  ['threat-model', 'threat-model threatmodel stride attack-tree', 'md json yaml yml pdf'],
  ['compliance-evidence', 'compliance soc2 soc-2 iso27001 hipaa pci-dss audit-evidence', 'md pdf csv json yaml yml'],
  ['architecture-decision-records', '/adr/ adr- decision-record /decisions/', 'md markdown adoc'],
  ['runbooks', 'runbook playbook', DOCS],
  ['escalation-paths', 'escalation', DOCS],
  ['oncall-handbook', 'on-call oncall rotation', DOCS],
  ['exit-plan', 'exit-plan offboarding transition-plan handover', DOCS],
];

const keysOf = (path: string): readonly string[] => detect(path).map(({ deliverable_key }) => deliverable_key);

const ROWS = TABLE.flatMap(([key, fragments, extensions]) =>
  fragments.split(' ').map((fragment) => [key, fragment, extensions] as const),
);

describe('a fragment', () => {
  it.each(ROWS)('of %s: %s', (key, fragment, extensions) => {
    const named = fragment.replace(/^\//, '');
    for (const extension of extensions?.split(' ') ?? ['any', 'yml']) {
      expect(keysOf(`docs/${named}x.${extension}`)).toContain(key);
      expect(keysOf(`${named}x.${extension}`)).toContain(key);
    }
    if (extensions !== null) expect(keysOf(`docs/${named}x.exe`)).not.toContain(key);
    expect(keysOf('docs/zzz.md')).toEqual([]);
  });
  it('that begins a name is not found inside one', () => {
    expect(keysOf('docs/xprd.md')).toEqual([]);
    expect(keysOf('docs/my-helm/values.yaml')).toEqual([]);
    expect(keysOf('docs/quadr/1.md')).toEqual([]);
  });
  it.each(['docs/slot-machine.md', 'docs/outcomes.md', 'docs/slogan.yaml', 'docs/hotels.md'])(
    'that is short is not found in a longer word: %s',
    (path) => {
      expect(keysOf(path)).toEqual([]);
    },
  );
});

describe('a path', () => {
  it('may be proposed for several deliverables', () => {
    expect(keysOf('docs/adr/0007-threat-model.md')).toEqual(['threat-model', 'architecture-decision-records']);
  });
  it('without an extension is found where any will do', () => {
    expect(keysOf('jenkinsfile')).toEqual(['ci-cd-pipelines']);
  });
});

it('the rules cover everything but the five deliverables that no file can show', () => {
  expect(UNDETECTABLE).toEqual([
    'pilot-deployment',
    'production-system',
    'sla-managed-operation',
    'enablement-sessions',
    'pairing-log',
  ]);
  expect(TABLE).toHaveLength(25);
});
