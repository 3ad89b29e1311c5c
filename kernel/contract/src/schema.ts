import type {
  StandardJSONSchemaV1,
  StandardSchemaV1,
} from "@standard-schema/spec";

/**
 * A schema that implements both Standard Schema (validation) and Standard JSON Schema (description), such as one of zod 4. The
 * same object validates requests and describes them in the OpenAPI document.
 *
 * @see https://standardschema.dev
 */
export interface Schema<Output = unknown, Input = unknown> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/** The output type of a schema. */
export type SchemaOutput<S> = S extends Schema<infer Output> ? Output : never;

/** One validation issue: the dotted path of the value (empty for the whole input) and what was expected. */
export interface InputIssue {
  path: string;
  message: string;
}
