/** The name under which the daemon introduces itself to clients. */
export const SERVICE_NAME = 'daybook';
