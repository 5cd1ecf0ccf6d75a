"""ODA's stages, a file each: `link_task_entities`, rounds of `observe`, `act`, `review_action`, `reflect`, `answer`."""
