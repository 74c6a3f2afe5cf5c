/** The types of bodies, queries and answers: openapi-typescript generates them from their schemas, each with a name. */
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import type { OpenApi } from '../../src/http/openapi/document.ts';

type Schema = OpenApi['components']['schemas'][string];

export interface Models {
  /** The name of the type of a schema; a schema without a name gets this one. */
  typeOf(schema: Schema, name: string): string;
  /** The declarations of all types, not formatted. */
  declarations(): Promise<string>;
}

export function createModels({ openapi, info, components }: OpenApi): Models {
  const schemas: Record<string, Schema> = { ...components.schemas };
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  return {
    typeOf(schema, name) {
      if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
      if (schemas[name] !== undefined) throw new Error(`Two types of the document have the name ${name}.`);
      const text = JSON.stringify(schema);
      const first = names.get(text);
      if (first === undefined) names.set(text, name);
      schemas[name] = first === undefined ? schema : { $ref: `#/components/schemas/${first}` };
      return name;
    },
    async declarations() {
      // Only the components: types of errors and headers would be most of the file.
      const document = Buffer.from(JSON.stringify({ openapi, info, paths: {}, components: { schemas } }));
      const text = astToString(aliases(await openapiTS(document, OPTIONS)));
      return text.replace(/components\["schemas"\]\["(\w+)"\]/g, '$1').replace(/(?<=\* )@description /g, '');
    },
  };
}

const OPTIONS = {
  immutable: true,
  // A field with a default may be omitted from a body.
  defaultNonNullable: false,
  emptyObjectsUnknown: true,
  silent: true,
};

/**
 * Declares each field of `components.schemas` as a type of its own. In a single interface, a type that contains itself,
 * such as that of any JSON value, does not compile.
 */
function aliases(nodes: readonly ts.Node[]): ts.Node[] {
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const components = nodes.filter(ts.isInterfaceDeclaration).filter(({ name }) => name.text === 'components');
  const [schemas] = components.flatMap(({ members }) => members.filter(ts.isPropertySignature));
  if (schemas?.type === undefined || !ts.isTypeLiteralNode(schemas.type)) throw new Error('There are no schemas.');
  return schemas.type.members.filter(ts.isPropertySignature).map((field) => {
    if (!ts.isIdentifier(field.name) || field.type === undefined) throw new Error('A schema has no name or no type.');
    const alias = ts.factory.createTypeAliasDeclaration(exported, field.name, undefined, field.type);
    return ts.setSyntheticLeadingComments(alias, ts.getSyntheticLeadingComments(field));
  });
}
