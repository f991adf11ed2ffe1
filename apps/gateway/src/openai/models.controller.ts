import { Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../http/caller';
import { RefusalException } from '../http/refusal.exception';
import { versioned } from '../http/versioned';

export interface Model {
  id: string;
  object: 'model';
  /** Seconds since 1970. */
  created: number;
  owned_by: string;
}

/** Any name is taken for a model; these are for programs that look before they ask. */
export const MODELS: readonly Model[] = ['currawong', 'whisper-1'].map((id) => ({
  id,
  object: 'model',
  created: 1_763_683_200,
  owned_by: 'currawong',
}));

/** What else programs for OpenAI's API ask around a transcription. */
@Controller()
@UseGuards(CallerGuard)
export class ModelsController {
  @Get(versioned('models'))
  list(): { object: 'list'; data: readonly Model[] } {
    return { object: 'list', data: MODELS };
  }

  @Get(versioned('models/:id'))
  get(@Param('id') id: string): Model {
    const found = MODELS.find((model) => model.id === id);
    if (!found) throw RefusalException.of('model_not_found');
    return found;
  }

  /** There, so that the reason can be said. */
  @Post(versioned('audio/translations'))
  translate(): never {
    throw RefusalException.of('translation_unavailable');
  }
}
