import { z } from 'zod';
import { defineRequest } from './define';

/** Answered only by a service that could do its part of accepting a job now. */
export const CheckJobsReady = defineRequest('jobs.check_ready', z.object({}), z.object({}));
export const CheckBillingReady = defineRequest('billing.check_ready', z.object({}), z.object({}));
