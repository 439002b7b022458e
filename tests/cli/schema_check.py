"""A validator for the part of JSON Schema (draft 7) that docs/reference uses.

Unknown keywords are refused, so that a schema cannot claim what is not checked here.
"""

import re

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
WITHOUT_EFFECT = {"$schema", "$id", "title", "description", "definitions"}


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def faults(value, schema, root=None, place="$"):
    """Every fault of `value` as 'place: what', in reading order."""
    root = root if root is not None else schema
    for keyword in schema:
        if keyword in WITHOUT_EFFECT:
            continue
        yield from CHECKS[keyword](value, schema, root, place)


def check_ref(value, schema, root, place):
    target = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    yield from faults(value, target, root, place)


def check_type(value, schema, _root, place):
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(has_type(value, name) for name in names):
        yield f"{place}: is no {' or '.join(names)}"


def check_const(value, schema, _root, place):
    if value != schema["const"]:
        yield f"{place}: is not {schema['const']!r}"


def check_enum(value, schema, _root, place):
    if value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"


def check_pattern(value, schema, _root, place):
    if isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r} does not match {schema['pattern']}"


def check_minimum(value, schema, _root, place):
    if has_type(value, "number") and value < schema["minimum"]:
        yield f"{place}: {value} is below {schema['minimum']}"


def check_required(value, schema, _root, place):
    if isinstance(value, dict):
        for key in schema["required"]:
            if key not in value:
                yield f"{place}: lacks {key}"


def check_properties(value, schema, root, place):
    if isinstance(value, dict):
        for key, part in schema["properties"].items():
            if key in value:
                yield from faults(value[key], part, root, f"{place}.{key}")


def check_additional(value, schema, root, place):
    if not isinstance(value, dict):
        return
    for key in value.keys() - schema.get("properties", {}).keys():
        if schema["additionalProperties"] is False:
            yield f"{place}: has {key}, which is not known"
        else:
            yield from faults(value[key], schema["additionalProperties"], root, f"{place}.{key}")


def check_names(value, schema, root, place):
    if isinstance(value, dict):
        for key in value:
            yield from faults(key, schema["propertyNames"], root, f"{place}.{key}")


def check_items(value, schema, root, place):
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, schema["items"], root, f"{place}[{i}]")


CHECKS = {
    "$ref": check_ref,
    "type": check_type,
    "const": check_const,
    "enum": check_enum,
    "pattern": check_pattern,
    "minimum": check_minimum,
    "required": check_required,
    "properties": check_properties,
    "additionalProperties": check_additional,
    "propertyNames": check_names,
    "items": check_items,
}
