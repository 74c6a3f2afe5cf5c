/** The same object with some of its members replaced. */
export function replacing<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(_target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(members, name) ? members : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
